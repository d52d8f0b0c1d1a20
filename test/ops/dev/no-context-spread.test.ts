import { expect } from 'chai';
import { Linter, type Rule } from 'eslint';
import ts from 'typescript';
import tseslint from 'typescript-eslint';
import { loadTool } from './tools.js';

const FILE = 'sample.ts';
const DECLARED = `
interface Object {}
interface CallContext { readonly requestId: string }
interface Named { readonly requestId: string }
interface Longer extends CallContext { readonly name: string }
declare const Object: { assign(...values: object[]): object };
declare const call: CallContext;
declare const maybe: CallContext | undefined;
declare const longer: Longer;
declare const wider: CallContext & { readonly name: string };
declare const plain: Named;
declare const holder: { readonly call: CallContext };
`;

/** Messages of the rule for code that is typed as it is in the project. */
function messagesFor(rule: Rule.RuleModule, code: string): string[] {
  const text = `${DECLARED}\n${code}`;
  const options = { noLib: true, strict: true, target: ts.ScriptTarget.ES2022 };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, target) =>
    name === FILE ? ts.createSourceFile(name, text, target, true) : readSource(name, target);
  host.fileExists = (name) => name === FILE;
  const program = ts.createProgram([FILE], options, host);
  const config: Linter.Config = {
    files: ['**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { programs: [program] },
    },
    plugins: { ringway: { rules: { 'no-context-spread': rule } } },
    rules: { 'ringway/no-context-spread': 'error' },
  };
  return new Linter().verify(text, config, FILE).map(({ message }) => message);
}

describe('lint: no-context-spread', () => {
  let rule: Rule.RuleModule;

  before(async () => {
    rule = (await loadTool('lib/no-context-spread.mjs')).noContextSpread;
  });

  for (const code of [
    'export const copy = { ...call, name: 1 };',
    'export const copy = { ...holder.call };',
    'export const copy = { ...maybe };',
    'export const copy = { ...longer };',
    'export const copy = { ...wider };',
    'export const { requestId, ...rest } = longer;',
    'export function copy<T extends CallContext>(one: T) { return { ...one }; }',
    'export const copy = Object.assign({}, call);',
  ]) {
    it(`refuses ${code}`, () => {
      const messages = messagesFor(rule, code);
      expect(messages).to.have.length(1);
      expect(messages[0]).to.match(/^A CallContext is handed on as it is/);
    });
  }

  for (const code of [
    'export const copy = { ...plain };',
    'export const { requestId } = call;',
    'export const fresh = { requestId: call.requestId };',
    'export const kept = { call };',
  ]) {
    it(`accepts ${code}`, () => {
      expect(messagesFor(rule, code)).to.deep.equal([]);
    });
  }
});
