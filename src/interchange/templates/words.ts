/** Shared words of the templates of two tools, in our form: blocks by their name, and a speaker for their helpers. */
import type { Block, Dialect, Rewording, Speaker, Use } from './reword.ts';
import type { MakeBlock } from './same-words.ts';
import type { Call, Term } from './terms.ts';

export abstract class Words implements Dialect {
  readonly #blocks: Readonly<Record<string, MakeBlock>>;

  constructor(blocks: Readonly<Record<string, MakeBlock>>) {
    this.#blocks = blocks;
  }

  abstract value(term: Term, use: Use, context: Rewording): string | undefined;

  block(call: Call, names: readonly string[], context: Rewording): Block | undefined {
    const make = Object.hasOwn(this.#blocks, call.name) ? this.#blocks[call.name] : undefined;
    return make?.(call, names, this.speaker(context));
  }

  protected speaker(context: Rewording): Speaker {
    return { context, of: (term, use = 'argument') => term && this.value(term, use, context) };
  }
}
