/**
 * A record while it is edited: the stored value, the typed value, and how one becomes the other.
 *
 * A draft keeps the typed value until the server has stored it. The record's tag guards each write. The tag may cover
 * more than the edited part: a refused write is retried where it still means the same. Another user's change of the
 * same field is never overwritten: `conflict` asks.
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
  /** Record as the server returned it: its tag guards the write. */
  readonly known: Known;
  /** The edited part. */
  readonly toEditable: (known: Known) => Value;
  readonly write: (value: Value, known: Known) => Promise<Known>;
  readonly read: () => Promise<Known>;
  /** Receives the server's answers. */
  readonly onKnown: (known: Known) => void;
  /** Called when the typed value is stored. */
  readonly onSaved?: (known: Known) => void;
  readonly merge?: Merge<Value>;
  /** Removes blank rows before sending. */
  readonly cleaned?: (value: Value) => Value;
}

interface TypedValue<Value> {
  /** The value when typing started. */
  readonly base: Value;
  readonly mine: Value;
}

/** Another user edited the same record. Nothing is written before a choice. */
export interface Conflict {
  readonly differences: readonly Difference[];
  readonly resolve: (sideOf: SideOf) => void;
  /** Keeps the typed value; the next save asks again. */
  readonly postpone: () => void;
}

export interface Edit<Value> {
  /** The typed value, or else the server's. */
  readonly shown: Value;
  /** There is an unsaved edit. */
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Something was written since the form opened. */
  readonly isSaved: boolean;
  /** The edit was restored after a reload, and not continued. */
  readonly isFound: boolean;
  readonly failure: Failure | undefined;
  readonly write: Write;
  readonly conflict: Conflict | undefined;
  readonly change: (value: Value) => void;
  /** Changes the then-current record and writes it: for later actions, such as an undo. */
  readonly revise: (revised: (value: Value) => Value) => void;
  readonly save: () => Promise<void>;
  /** Discards the unsaved edit. */
  readonly drop: () => void;
}

export function useEdit<Known, Value extends object>(options: EditOptions<Known, Value>): Edit<Value> {
  const { name, toEditable, write, read, onKnown, cleaned = (value) => value } = options;
  const { differences, merged } = options.merge ?? (byMember as unknown as Merge<Value>);
  const draft = useDraft<TypedValue<Value>>(name);
  const sending = useWrite();
  const isAsking = useSignal(false);
  const isTouched = useSignal(false);
  const isSaved = useSignal(false);
  const isAskedAgain = useRef(false);
  const known = useRef(options.known);
  known.current = options.known;

  const there = (): Value => toEditable(known.current);
  const take = (now: Known): void => {
    known.current = now;
    onKnown(now);
  };
  /** The typed value merged with the server's; undefined when the user has to choose. */
  const rebased = ({ base, mine }: TypedValue<Value>): Value | undefined => {
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
      // The refused value is no longer the typed one.
      isAskedAgain.current = false;
      return save();
    }
    if (end === undefined || end === 'conflict') return;
    take(end.answer);
    isSaved.value = true;
    const later = draft.value.peek();
    if (later !== undefined) {
      // Typing during the write edits the written value.
      const left = merged(cleaned(now.mine), later.mine, there(), () => undefined);
      draft.value.value = isSame(left, there()) ? undefined : { base: there(), mine: left };
    }
    options.onSaved?.(end.answer);
    if (!isAskedAgain.current) return;
    isAskedAgain.current = false;
    await save();
  };

  const server = toEditable(options.known);
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
  const conflictOf = ({ base, mine }: TypedValue<Value>): Conflict => ({
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
