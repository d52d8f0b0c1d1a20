"""Runs commands of aws cli, each in a process of its own that forks from here: what takes most of
such a command, the import of its modules and the model of S3, is done once.

Reads one JSON list of arguments a line and answers with one line each: code, stdout, stderr. With a
folder and an environment of its own a command is a JSON object: arguments, cwd, environment."""

import json
import os
import sys
import tempfile
import traceback

import awscli.clidriver


def elsewhere(driver, cwd, environment):
    """@returns a driver that reads its configuration anew; the model of S3 goes with it"""
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    fresh = awscli.clidriver.create_clidriver()
    loader = driver.session.get_component("data_loader")
    fresh.session.register_component("data_loader", loader)
    return fresh


def run(driver, command, stdout, stderr):
    """In the child: never returns."""
    code = 255
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(stdout.fileno(), 1)
        os.dup2(stderr.fileno(), 2)
        if isinstance(command, dict):
            driver = elsewhere(driver, command["cwd"], command["environment"])
            command = command["arguments"]
        code = driver.main(command)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


def answer(driver, command):
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        child = os.fork()
        if child == 0:
            run(driver, command, stdout, stderr)
        _, status = os.waitpid(child, 0)
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
        return {"code": os.waitstatus_to_exitcode(status), "stdout": texts[0], "stderr": texts[1]}


def main():
    lines = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    driver = awscli.clidriver.create_clidriver()
    # Not a command, which may begin a thread: of a process with threads no other can fork.
    driver.session.get_component("data_loader").load_service_model("s3", "service-2")
    for line in lines:
        answers.write(json.dumps(answer(driver, json.loads(line))) + "\n")
        answers.flush()


main()
