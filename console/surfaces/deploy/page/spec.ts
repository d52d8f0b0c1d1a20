import { ApiFailure, call } from '../../../ui/api.js';
import { confirmed, el, messageOf, shownText } from '../../../ui/dom.js';
import { fail } from '../../../ui/shell.js';
import { badge, download } from '../../../ui/parts.js';
import { toast } from '../../../ui/toast.js';
import { loadSpec, problemsOf, saveSpec, type Spec } from './control.js';
import { takeRingChange } from '../../../ui/ring-change.js';
import { draftOf, type Draft } from './draft.js';
import { keepingFocus } from './form-controls.js';
import { JsonEditor } from './json-editor.js';
import { pathText, problemsText } from './json-places.js';
import { objectOf, type Json } from './json-values.js';
import { firstSpec } from './spec-fields.js';
import { SpecForm } from './spec-form.js';
import { warningLine } from './typed-cluster.js';
import * as views from './views.js';
import type { SpecProblem as Problem } from '../../../../src/deploy/spec/parse.js';

/** Behind the last key: what is half typed need not be judged. */
const CHECK_AFTER_MS = 400;
/** Behind the last key in the form: the JSON of a large cluster is not written for each of them. */
const WRITE_AFTER_MS = 150;
/** The most that a specification may be, with room around it. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

/** The specification, as a form and as JSON, which are kept in step. */
export class SpecPanel {
  element = el('div', { className: 'deploy-panel' });
  #etag = '';
  #draft: Json = {};
  #isDirty = false;
  /** Counts the edits: what is changed while the specification is saved is not saved with it. */
  #edits = 0;
  #isSaving = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checking = new AbortController();
  #verdict = badge('');
  #list = el('div', { className: 'deploy-problem-list' });
  #notice = el('div');
  #state = el('p', { className: 'quiet' });
  /** The text is no JSON, and cannot be saved. */
  #isFault = false;
  #writing: ReturnType<typeof setTimeout> | undefined;
  #form = new SpecForm(() => {
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => this.#settle(), WRITE_AFTER_MS);
    this.#edits += 1;
    this.#changed();
  });
  #json = new JsonEditor({
    onTyping: () => {
      this.#edits += 1;
      this.#isDirty = true;
      this.#judge('reading…');
    },
    onValue: (value) => {
      this.#draft = value as Spec;
      this.#isFault = false;
      this.#form.element.inert = false;
      this.#form.show(this.#draft);
      this.#changed();
    },
    onFault: () => {
      this.#form.element.inert = true;
      this.#isFault = true;
      this.#isDirty = true;
      this.#checking.abort();
      clearTimeout(this.#timer);
      this.#judge('invalid JSON', 'crit');
    },
  });
  #ways;

  constructor(ways: views.Ways) {
    this.#ways = ways;
    // Input on one side is on the other one before that is edited.
    this.#form.element.addEventListener('focusin', () =>
      keepingFocus(this.#form.element, () => this.#json.settle()),
    );
    this.#json.element.addEventListener('focusin', () => this.#settle());
    window.addEventListener('beforeunload', (event) => {
      if (this.#isDirty) event.preventDefault();
    });
  }

  /** Loads the specification, but not over changes that are not saved. */
  async open() {
    if (this.#isDirty) return;
    const { spec, etag } = await loadSpec();
    this.#etag = etag;
    const change = takeRingChange();
    if (change !== null) this.#begin(draftOf(spec, change));
    else if (spec === null) this.#empty();
    else this.#edit(spec, false);
  }

  /** @param draft that another page made */
  #begin({ spec, notes, from }: Draft) {
    this.#edit(spec, true);
    const textContent =
      'This draft is not saved. Review it, then save and plan it, or discard the changes.';
    const lines = [el('p', { textContent }), ...notes.map(warningLine)];
    this.#notice.replaceChildren(views.outcome('warn', `Draft from ${from}`, ...lines));
  }

  #empty() {
    const file = el('input', { type: 'file', accept: '.json,application/json', hidden: true });
    file.onchange = () => {
      const [chosen] = file.files ?? [];
      if (chosen !== undefined) this.#read(chosen).catch(fail);
    };
    this.element.replaceChildren(
      views.emptyState(
        'rocket',
        'No cluster specification yet',
        "A specification describes the cluster's policies, rings, nodes, devices and proxies. Nothing changes until you apply a plan.",
        {
          text: 'Start with three nodes',
          work: () => this.#edit(firstSpec(), true),
          primary: true,
        },
        { text: 'Open JSON file', work: () => file.click() },
      ),
      file,
    );
  }

  async #read(file: File) {
    if (file.size > FILE_BYTES_MAX) throw new Error('The file is too large for a specification.');
    const spec: unknown = JSON.parse(await file.text());
    if (typeof spec !== 'object' || spec === null)
      throw new Error('The file does not contain a specification.');
    this.#edit(objectOf(spec), true);
  }

  #edit(spec: Spec, isDirty: boolean) {
    this.#draft = structuredClone(spec);
    this.#isDirty = isDirty;
    this.#isFault = false;
    this.#notice.replaceChildren();
    const ways = [
      { text: 'Download', work: () => this.#download() },
      { text: 'Discard changes', work: () => this.#discard() },
      { text: 'Save', work: () => this.#save() },
      { text: 'Save and plan', work: () => this.#saveAndPlan(), primary: true },
    ];
    this.#verdict.role = 'status';
    this.element.replaceChildren(
      views.bar(this.#verdict, this.#state, views.gap(), ...ways.map(views.wayButton)),
      this.#notice,
      this.#list,
      el('div', { className: 'deploy-sides' }, this.#form.element, this.#json.element),
    );
    this.#form.element.inert = false;
    this.#form.show(this.#draft);
    this.#json.show(this.#draft);
    this.#changed(isDirty);
  }

  #download() {
    if (!this.#isRead()) return;
    const text = `${JSON.stringify(this.#draft, null, 2)}\n`;
    download('deploy-spec.json', text, 'application/json');
  }

  /** Has both sides show what was entered in one of them a moment ago. */
  #settle() {
    this.#json.settle();
    if (this.#writing === undefined) return;
    clearTimeout(this.#writing);
    this.#writing = undefined;
    this.#json.show(this.#draft);
  }

  /** @returns whether there is a specification; where the text is no JSON, it leads there */
  #isRead() {
    this.#settle();
    if (this.#isFault) this.#json.focus();
    return !this.#isFault;
  }

  #changed(isDirty = true) {
    this.#isDirty = isDirty;
    this.#state.textContent = isDirty
      ? 'Unsaved changes.'
      : `Saved as version ${views.shortHash(this.#etag)}.`;
    this.#judge('checking…');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), isDirty ? CHECK_AFTER_MS : 0);
  }

  async #check() {
    this.#checking.abort();
    this.#checking = new AbortController();
    const { signal } = this.#checking;
    try {
      const body = { spec: this.#draft };
      const verdict = await call('POST', '/deploy/api/validate', body, true, signal);
      const { valid, errors, warnings } = verdict;
      if (signal.aborted) return;
      this.#show(errors, warnings);
      this.#judge(valid ? 'valid' : problemsText(errors.length), valid ? 'ok' : 'crit');
    } catch (error) {
      if (!signal.aborted) this.#judge(`not checked: ${messageOf(error)}`, 'warn');
    }
  }

  #judge(text: string, state: views.Look = '') {
    this.#verdict.textContent = text;
    this.#verdict.dataset.state = state;
  }

  #show(errors: readonly Problem[], warnings: readonly Problem[]) {
    this.#form.mark(errors);
    this.#json.mark(errors);
    const lines = [
      ...errors.map((one) => this.#line(one, 'crit', 'Error')),
      ...warnings.map((one) => this.#line(one, 'warn', 'Warning')),
    ];
    this.#list.replaceChildren(...(lines.length === 0 ? [] : [el('ul', {}, ...lines)]));
  }

  #line({ path, message }: Problem, state: 'crit' | 'warn', kind: string) {
    const go = el('button', {
      type: 'button',
      className: 'plain',
      title: path,
      textContent: shownText(pathText(path)),
    });
    go.onclick = () => {
      this.#settle();
      this.#json.reveal(path);
      this.#form.reveal(path);
    };
    return el('li', {}, badge(kind, state), go, el('span', { textContent: shownText(message) }));
  }

  /** @returns whether it is saved */
  async #save(): Promise<boolean> {
    // A second one would be refused: it has the entity tag of before the first.
    if (this.#isSaving || !this.#isRead()) return false;
    this.#notice.replaceChildren();
    const edits = this.#edits;
    this.#isSaving = true;
    try {
      this.#etag = await saveSpec(this.#draft, this.#etag);
      this.#changed(this.#edits !== edits);
      toast('Specification saved.');
      return true;
    } catch (error) {
      this.#refused(error);
      return false;
    } finally {
      this.#isSaving = false;
    }
  }

  #refused(error: unknown) {
    const code = error instanceof ApiFailure ? error.code : '';
    const problems = problemsOf(error);
    if (problems !== undefined) {
      this.#show(problems, []);
      this.#judge(problemsText(problems.length), 'crit');
      (this.#list.querySelector('button') as HTMLElement | null)?.focus();
      return;
    }
    const ways = ['precondition_failed', 'precondition_required'].includes(code)
      ? [
          { text: 'Load saved version', work: () => this.#discard() },
          { text: 'Overwrite with my version', work: () => this.#overwrite() },
        ]
      : [{ text: 'Try again', work: () => this.#save() }];
    const failure = views.failureState(error, ...ways);
    this.#notice.replaceChildren(el('div', { className: 'card' }, failure));
  }

  async #overwrite() {
    try {
      this.#etag = (await loadSpec()).etag;
      await this.#save();
    } catch (error) {
      this.#refused(error);
    }
  }

  async #saveAndPlan() {
    if (!this.#isRead() || (this.#isDirty && !(await this.#save()))) return;
    this.#ways.onPlanWish({});
  }

  async #discard() {
    const text = 'Unsaved changes will be lost.';
    if (this.#isDirty && !(await confirmed('Discard changes', text, 'Discard', { danger: true })))
      return;
    this.#isDirty = false;
    await this.open().catch(fail);
  }
}
