/**
 * A record while it is edited: what the server has, what is typed, and how one becomes the other.
 *
 * What is typed stands in a draft until the server has taken it. Each write is guarded by the record's tag. The tag may
 * cover more than what is edited: a write that it refuses is repeated where it means the same. What somebody else has
 * changed too is not overwritten: `conflict` then asks.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useDraft } from './draft.ts';
import type { Failure } from './failure.ts';
import { byMember, isSame, type Difference, type Merge, type SideOf } from './merge.ts';
import { repeated, useWrite, type Write } from './write.ts';

interface EditOptions<Known, Value extends object> {
  /** The name of the draft. */
  readonly name: string;
  /** As the server has given it: its tag guards the write. */
  readonly known: Known;
  /** What of it is edited. */
  readonly valueOf: (known: Known) => Value;
  readonly write: (value: Value, known: Known) => Promise<Known>;
  readonly read: () => Promise<Known>;
  /** Takes what the server has answered. */
  readonly onKnown: (known: Known) => void;
  /** What is typed is there. */
  readonly onSaved?: (known: Known) => void;
  readonly merge?: Merge<Value>;
  /** Without what nobody has filled in yet, as it is sent. */
  readonly cleaned?: (value: Value) => Value;
}

interface Typed<Value> {
  /** As it was known when typing began. */
  readonly base: Value;
  readonly mine: Value;
}

/** Somebody else has changed the same. Nothing is written before a choice. */
export interface Conflict {
  readonly differences: readonly Difference[];
  readonly resolve: (sideOf: SideOf) => void;
  /** Leaves it open: what is typed stays, and the next save asks again. */
  readonly postpone: () => void;
}

export interface Edit<Value> {
  /** As it is typed; the server's when nothing is. */
  readonly shown: Value;
  /** Something is typed that the server does not have. */
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Something was written since it is shown. */
  readonly isSaved: boolean;
  /** It was typed before the page was loaded, and nothing has been typed since. */
  readonly isFound: boolean;
  readonly failure: Failure | undefined;
  readonly write: Write;
  readonly conflict: Conflict | undefined;
  readonly change: (value: Value) => void;
  /** Changes the record as it stands by then, and writes it: for what comes later, as an undo. */
  readonly revise: (revised: (value: Value) => Value) => void;
  readonly save: () => Promise<void>;
  /** Forgets what is typed. */
  readonly drop: () => void;
}

export function useEdit<Known, Value extends object>(options: EditOptions<Known, Value>): Edit<Value> {
  const { name, valueOf, write, read, onKnown, cleaned = (value) => value } = options;
  const { differences, merged } = options.merge ?? (byMember as unknown as Merge<Value>);
  const draft = useDraft<Typed<Value>>(name);
  const sending = useWrite();
  const isAsking = useSignal(false);
  const isTouched = useSignal(false);
  const isSaved = useSignal(false);
  const isAskedAgain = useRef(false);
  const known = useRef(options.known);
  known.current = options.known;

  const there = (): Value => valueOf(known.current);
  const take = (now: Known): void => {
    known.current = now;
    onKnown(now);
  };
  /** What is typed together with what the server has by now; undefined when a person has to choose. */
  const rebased = ({ base, mine }: Typed<Value>): Value | undefined => {
    const server = there();
    if (isSame(base, server)) return mine;
    return differences(base, mine, server).length > 0 ? undefined : merged(base, mine, server, () => undefined);
  };

  const save = async (): Promise<void> => {
    const now = draft.value.peek();
    if (now === undefined) return;
    if (isSame(cleaned(now.mine), there())) {
      if (cleaned(now.mine) === now.mine) draft.discard();
      return;
    }
    if (sending.isRunning.peek()) {
      isAskedAgain.current = true;
      return;
    }
    const end = await sending.run(() =>
      repeated(async (isAgain) => {
        if (isAgain) take(await read());
        const value = rebased(now);
        if (value === undefined) return 'conflict';
        const sent = cleaned(value);
        return { answer: isSame(sent, there()) ? known.current : await write(sent, known.current) };
      }),
    );
    isAsking.value = end === 'conflict';
    if (end === undefined && isAskedAgain.current && draft.value.peek()?.mine !== now.mine) {
      // What was refused is not what is typed by now.
      isAskedAgain.current = false;
      return save();
    }
    if (end === undefined || end === 'conflict') return;
    take(end.answer);
    isSaved.value = true;
    const later = draft.value.peek();
    if (later !== undefined) {
      // What was typed in the meantime is an edit of what was written.
      const left = merged(cleaned(now.mine), later.mine, there(), () => undefined);
      draft.value.value = isSame(left, there()) ? undefined : { base: there(), mine: left };
    }
    options.onSaved?.(end.answer);
    if (!isAskedAgain.current) return;
    isAskedAgain.current = false;
    await save();
  };

  const server = valueOf(options.known);
  const typed = draft.value.value;
  const isDirty = typed !== undefined && !isSame(cleaned(typed.mine), server);
  useEffect(() => {
    const value = typed && rebased(typed);
    if (value === undefined || sending.isRunning.peek()) return;
    if (isSame(cleaned(value), server) && !isTouched.peek()) draft.discard();
    else if (!isSame(typed?.base, server)) draft.value.value = { base: server, mine: value };
  }, [options.known]);

  const change = (mine: Value): void => {
    const base = draft.value.peek()?.base ?? there();
    isTouched.value = true;
    if (isSame(mine, base) && !sending.isRunning.peek()) draft.discard();
    else draft.value.value = { base, mine };
  };
  const conflictOf = ({ base, mine }: Typed<Value>): Conflict => ({
    differences: differences(base, mine, server),
    resolve(sideOf) {
      isAsking.value = false;
      draft.value.value = { base: server, mine: merged(base, mine, server, sideOf) };
      void save();
    },
    postpone: () => (isAsking.value = false),
  });
  return {
    shown: typed?.mine ?? server,
    isDirty,
    isSaving: sending.isRunning.value,
    isSaved: isSaved.value,
    isFound: draft.isFound && isDirty && !isTouched.value,
    failure: sending.failure.value,
    write: sending,
    conflict: isAsking.value && typed !== undefined ? conflictOf(typed) : undefined,
    change,
    revise(revised) {
      change(revised(draft.value.peek()?.mine ?? there()));
      void save();
    },
    save,
    drop() {
      draft.discard();
      isAsking.value = false;
      sending.clear();
    },
  };
}
