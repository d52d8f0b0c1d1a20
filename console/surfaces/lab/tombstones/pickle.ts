/** Bytes that are no pickle of Swift's metadata. */
export class PickleError extends Error {
  override readonly name = 'PickleError';
}

type Value =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'global'; readonly name: 'encode' | 'bytes' }
  | { readonly kind: 'tuple'; readonly items: readonly Value[] }
  | { readonly kind: 'dict'; readonly entries: Map<string, string> }
  | { readonly kind: 'mark' };

const BYTES_MAX = 1024 * 1024;
const STACK_MAX = 10_000;
/** Bytes that are made of those that were read: a pickle may use one of its texts any number of times. */
const MADE_BYTES_MAX = 8 * BYTES_MAX;

/**
 * Reads the metadata that Swift keeps with a file: a pickle of protocol 2 of a dictionary with bytes
 * as keys and values (`write_metadata` of swift/obj/diskfile.py). Only the opcodes that Python writes
 * for that are known, and of its functions only the two that stand for bytes: nothing is called.
 *
 * @returns keys and values as UTF-8
 * @throws PickleError for anything else
 */
export function readPickle(bytes: Buffer): Map<string, string> {
  if (bytes.length > BYTES_MAX) throw new PickleError('it is too long');
  return new PickleReader(bytes).run();
}

class PickleReader {
  #at = 0;
  #made = 0;
  readonly #stack: Value[] = [];
  readonly #memo = new Map<number, Value>();

  constructor(private readonly bytes: Buffer) {}

  run(): Map<string, string> {
    if (this.#byte() !== 0x80 || this.#byte() !== 2) throw new PickleError('it is not protocol 2');
    for (;;) {
      const opcode = this.#byte();
      if (opcode === 0x2e) return this.#result();
      this.#step(opcode);
      if (this.#stack.length > STACK_MAX) throw new PickleError('it is too deep');
    }
  }

  #step(opcode: number): void {
    switch (opcode) {
      case 0x7d: // EMPTY_DICT
        this.#push({ kind: 'dict', entries: new Map() });
        return;
      case 0x28: // MARK
        this.#push({ kind: 'mark' });
        return;
      case 0x71: // BINPUT
        this.#memo.set(this.#byte(), this.#top());
        return;
      case 0x72: // LONG_BINPUT
        this.#memo.set(this.#take(4).readUInt32LE(), this.#top());
        return;
      case 0x68: // BINGET
        this.#get(this.#byte());
        return;
      case 0x6a: // LONG_BINGET
        this.#get(this.#take(4).readUInt32LE());
        return;
      case 0x58: // BINUNICODE
        this.#push({ kind: 'text', text: this.#take(this.#length(4)).toString('utf8') });
        return;
      case 0x55: // SHORT_BINSTRING, of Python 2
        this.#push({ kind: 'bytes', bytes: this.#take(this.#byte()) });
        return;
      case 0x54: // BINSTRING, of Python 2
        this.#push({ kind: 'bytes', bytes: this.#take(this.#length(4)) });
        return;
      case 0x63: // GLOBAL
        this.#global();
        return;
      case 0x29: // EMPTY_TUPLE
        this.#push({ kind: 'tuple', items: [] });
        return;
      case 0x86: {
        // TUPLE2
        const [second, first] = [this.#pop(), this.#pop()];
        this.#push({ kind: 'tuple', items: [first, second] });
        return;
      }
      case 0x52: // REDUCE
        this.#reduce();
        return;
      case 0x73: {
        // SETITEM
        const [value, key] = [this.#pop(), this.#pop()];
        this.#set([key, value]);
        return;
      }
      case 0x75: // SETITEMS
        this.#setItems();
        return;
      default:
        throw new PickleError(`opcode ${opcode} is none that Swift writes`);
    }
  }

  #global(): void {
    const [module, name] = [this.#line(), this.#line()];
    const known = { '_codecs encode': 'encode', '__builtin__ bytes': 'bytes' } as const;
    const found = known[`${module} ${name}` as keyof typeof known] as
      'encode' | 'bytes' | undefined;
    if (found === undefined) throw new PickleError('it names a function that Swift does not');
    this.#push({ kind: 'global', name: found });
  }

  #reduce(): void {
    const [given, called] = [this.#pop(), this.#pop()];
    if (given.kind !== 'tuple' || called.kind !== 'global')
      throw new PickleError('it calls nothing');
    if (called.name === 'bytes' && given.items.length === 0) {
      this.#push({ kind: 'bytes', bytes: Buffer.alloc(0) });
      return;
    }
    const [text, encoding] = given.items;
    if (text?.kind !== 'text' || encoding?.kind !== 'text' || encoding.text !== 'latin1') {
      throw new PickleError('it encodes something else than bytes');
    }
    this.#make(text.text.length);
    if (/[\u0100-\uffff]/.test(text.text)) throw new PickleError('its bytes are none');
    this.#push({ kind: 'bytes', bytes: Buffer.from(text.text, 'latin1') });
  }

  #setItems(): void {
    const mark = this.#stack.findLastIndex(({ kind }) => kind === 'mark');
    if (mark === -1) throw new PickleError('it has items without a beginning');
    const items = this.#stack.splice(mark);
    this.#set(items.slice(1));
  }

  #set(items: readonly Value[]): void {
    const dict = this.#top();
    if (dict.kind !== 'dict' || items.length % 2 !== 0)
      throw new PickleError('it is no dictionary');
    for (let index = 0; index < items.length; index += 2) {
      dict.entries.set(this.#textOf(items[index]), this.#textOf(items[index + 1]));
    }
  }

  #result(): Map<string, string> {
    const [value, ...rest] = this.#stack;
    const isWhole = this.#at === this.bytes.length && rest.length === 0;
    if (value?.kind !== 'dict' || !isWhole) throw new PickleError('it is no dictionary');
    return value.entries;
  }

  #get(index: number): void {
    const value = this.#memo.get(index);
    if (value === undefined) throw new PickleError('it names what it does not have');
    this.#push(value);
  }

  #push(value: Value): void {
    this.#stack.push(value);
  }

  #pop(): Value {
    const value = this.#stack.pop();
    if (value === undefined) throw new PickleError('it takes what it does not have');
    return value;
  }

  #top(): Value {
    const value = this.#stack.at(-1);
    if (value === undefined) throw new PickleError('it takes what it does not have');
    return value;
  }

  #byte(): number {
    return this.#take(1)[0] ?? 0;
  }

  #length(bytes: 4): number {
    return this.#take(bytes).readUInt32LE();
  }

  #take(count: number): Buffer {
    if (this.#at + count > this.bytes.length) throw new PickleError('it is cut');
    const taken = this.bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  #line(): string {
    const end = this.bytes.indexOf(0x0a, this.#at);
    if (end === -1 || end - this.#at > 64) throw new PickleError('it is cut');
    const line = this.bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return line;
  }

  #textOf(value: Value | undefined): string {
    if (value?.kind === 'text') return value.text;
    if (value?.kind !== 'bytes') throw new PickleError('it has something else than bytes');
    this.#make(value.bytes.length);
    return value.bytes.toString('utf8');
  }

  /** Counts what is made, before it is. */
  #make(bytes: number): void {
    this.#made += bytes;
    if (this.#made > MADE_BYTES_MAX) throw new PickleError('it makes too much of what it has');
  }
}
