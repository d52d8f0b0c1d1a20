import { expect } from 'chai';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { useOnce } from '../../support/fixture.js';
import { loadTool } from './tools.js';

const DECLARED = `
interface CallContext { readonly requestId: string }
interface Named { readonly requestId: string }
interface Longer extends CallContext { readonly name: string }
declare const call: CallContext;
declare const maybe: CallContext | undefined;
declare const longer: Longer;
declare const wider: CallContext & { readonly name: string };
declare const plain: Named;
declare const holder: { readonly call: CallContext };
declare let rest: object;
`;

const REFUSED = [
  'export const copy = { ...call, name: 1 };',
  'export const copy = { ...holder.call };',
  'export const copy = { ...maybe };',
  'export const copy = { ...longer };',
  'export const copy = { ...wider };',
  'export const { requestId, ...others } = longer;',
  'export function copy({ requestId, ...others }: CallContext) { return [requestId, others]; }',
  'export function copy() { ({ ...rest } = call); }',
  'export function copy<T extends CallContext>(one: T) { return { ...one }; }',
  'export const copy = Object.assign({}, call);',
];

const ACCEPTED = [
  'export const copy = { ...plain };',
  'export const { requestId } = call;',
  'export const fresh = { requestId: call.requestId };',
  'export const kept = { call };',
  'export const kept = Object.assign(call, plain);',
];

describe('check: copies of contexts', () => {
  /** One project for all pieces of code: to start the compiler takes longer than to ask it. */
  const found = useOnce<ReadonlyMap<string, readonly string[]>>(async () => {
    const { contextCopies } = await loadTool('lib/no-context-spread.mjs');
    const pieces = [...REFUSED, ...ACCEPTED].map((code, n) => ({ file: `/p/${n}.ts`, code }));
    const files = {
      '/p/tsconfig.json': '{"compilerOptions":{"strict":true,"types":[],"lib":["es2023"]}}',
      '/p/declared.d.ts': DECLARED,
      ...Object.fromEntries(pieces.map(({ file, code }) => [file, code])),
    };
    const copies = contextCopies('/p/tsconfig.json', (file) => /^\/p\/\d/.test(file), {
      fs: createVirtualFileSystem(files),
    });
    return new Map(
      pieces.map(({ file, code }) => [
        code,
        copies.filter((copy) => copy.file === file).map(({ name, line }) => `${name} in ${line}`),
      ]),
    );
  });

  for (const code of REFUSED) {
    it(`refuses ${code}`, () => {
      expect(found().get(code)).to.deep.equal(['CallContext in 1']);
    });
  }

  for (const code of ACCEPTED) {
    it(`accepts ${code}`, () => {
      expect(found().get(code)).to.deep.equal([]);
    });
  }
});
