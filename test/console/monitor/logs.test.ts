import { expect } from 'chai';
import fc from 'fast-check';
import { LOG_LEVELS, logQuery } from '../../../console/surfaces/monitor/logs/logql.js';
import { redactLine } from '../../../console/surfaces/monitor/logs/redact.js';
import { parseLogQuery } from '../../../supervisor/log-query.js';
import type { LogEntry } from '../../../supervisor/log-tail.js';
import { addressesOf } from './support.js';

const NAMES = { service: 'process', node: 'node', level: 'level', worker: 'worker' };

function entry(line: string, process = 'listener', level = 'info'): LogEntry {
  return { unixMs: 0, labels: { service: 'ringway', process, worker: '', level }, line };
}

function finds(wish: Partial<Parameters<typeof logQuery>[0]>, one: LogEntry): boolean {
  return parseLogQuery(logQuery({ services: [], nodes: [], ...wish }, NAMES))(one);
}

describe('LogQL of a wish', () => {
  it('finds exactly the text that is looked for, whatever stands in it', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    const quotes = fc.stringMatching(/^["`\\{}|=~, \n.*+ab]{1,20}$/);
    fc.assert(
      fc.property(fc.oneof(text, quotes), fc.oneof(text, quotes), (wanted, other) => {
        expect(finds({ contains: wanted }, entry(`<${wanted}>`))).to.equal(true);
        expect(finds({ contains: wanted }, entry(other))).to.equal(other.includes(wanted));
      }),
    );
  });

  it('finds the services that are named, and no others like them', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9._@-]{1,20}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), name, (services, other) => {
        for (const service of services) {
          expect(finds({ services }, entry('', service))).to.equal(true);
        }
        expect(finds({ services }, entry('', other))).to.equal(services.includes(other));
      }),
    );
  });

  it('is one selector and one filter, however it is put', () => {
    const wish = { services: ['a'], nodes: ['n'], contains: '"} |= "x" or {a=~".+' };
    expect(logQuery({ ...wish, level: 'error' }, { ...NAMES, service: 'unit' })).to.equal(
      String.raw`{unit=~"a", node=~"n", level=~"(?i)fatal|emerg|alert|crit|critical|error|err"} |= "\"} |= \"x\" or {a=~\".+"`,
    );
    expect(logQuery({ services: [], nodes: [] }, NAMES)).to.equal('{process=~".+"}');
  });

  it('takes a level for the least severe', () => {
    for (const [index, level] of LOG_LEVELS.entries()) {
      LOG_LEVELS.forEach((other, at) => {
        expect(finds({ level }, entry('', 'listener', other))).to.equal(at <= index);
      });
    }
    expect(finds({ level: 'error' }, entry('', 'listener', 'FATAL'))).to.equal(true);
  });

  it('has no half of a character, which no log store takes', () => {
    expect(logQuery({ services: [], nodes: [], contains: 'a\uD800b' }, NAMES)).to.include(
      'a\uFFFDb',
    );
  });
});

describe('lines of logs', () => {
  /** The length that is kept of a line. */
  const LINE_MAX = 16 * 1024;
  const SECRET = 'S3cr3tValue0123456789';

  for (const line of [
    `GET /v1/A/c/o?temp_url_sig=${SECRET}&temp_url_expires=1`,
    `GET /b/k?X-Amz-Signature=${SECRET}&X-Amz-Date=1`,
    `GET /b/k?AWSAccessKeyId=x&Signature=${SECRET}`,
    `X-Auth-Token: ${SECRET}`,
    `{"x-auth-token":"${SECRET}","a":1}`,
    `{\\"X-Storage-Pass\\":\\"${SECRET}\\",\\"a\\":1}`,
    `X-Storage-Pass: '${SECRET} with blanks'`,
    `authorization: Bearer ${SECRET}`,
    `{"authorization":"Basic ${SECRET}=="}`,
    `Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=${SECRET}`,
    `Cookie: console_sid=${SECRET}`,
    `{"secret_key":"${SECRET}"}`,
    `{"secretAccessKey": "${SECRET}"}`,
    `X-Account-Meta-Temp-URL-Key-2: ${SECRET}`,
    `token=${SECRET}`,
    `redirect=%26token%3D${SECRET}`,
    `AUTH_tk${SECRET.toLowerCase()} was refused`,
  ]) {
    it(`are without the secret of ${line.replace(SECRET, '…')}`, () => {
      const redacted = redactLine(`before ${line} after`);
      expect(redacted.toLowerCase()).to.not.include(SECRET.toLowerCase());
      expect(redacted).to.match(/^before .* after$|^before .*$/);
      expect(redacted).to.include('[secret]');
    });
  }

  it('keep what is no secret', () => {
    const line =
      '{"level":"info","operation":"GetObject","key":"a/token.txt","status":200,"tokens":3,"trans_id":"tx0123"}';
    expect(redactLine(line)).to.equal(line);
  });

  it('are cut where the reader stops', () => {
    expect(redactLine('x'.repeat(100_000))).to.have.length(LINE_MAX);
  });

  it('take no time that grows faster than they do', () => {
    // CPU, not time: what others do does not count. Four times the line would be sixteen times the
    // work of a pattern that tries again and again; with hundreds of times it would not end.
    const cpuMs = (line: string): number => {
      const before = process.cpuUsage();
      for (let i = 0; i < 20; i++) redactLine(line);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    for (const text of ['token', 'x-', '"', 'signature=\\"', 'bearer ']) {
      const line = text.repeat(LINE_MAX).slice(0, LINE_MAX);
      redactLine(line);
      const quarter = cpuMs(line.slice(0, LINE_MAX / 4));
      expect(cpuMs(line), text).to.be.below(10 * quarter + 20);
    }
  });

  it('name no host that the console talks to, and every client of the gateway', () => {
    const addresses = addressesOf({
      metricsUrl: 'http://prom.example:9090/base',
      adminUrl: 'https://[fd00::7]:9464',
      storeBase: 'http://10.0.0.1:8080',
      authUrl: 'http://10.0.0.1:8080/auth/v1.0',
    });
    const mask = (line: string) => addresses.maskBackends(line);
    expect(mask('GET http://10.0.0.1:8080/v1 failed')).to.equal('GET http://(address)/v1 failed');
    expect(mask('asked prom.example twice')).to.equal('asked (address) twice');
    expect(mask('admin at [fd00::7]:9464')).to.equal('admin at (address)');
    expect(mask('client 10.0.0.1:51234')).to.equal('client 10.0.0.1:51234');
  });
});
