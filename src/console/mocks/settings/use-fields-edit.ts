/**
 * A few fields while they are edited: they are written when they are left, each for itself, so that two people who
 * change different ones do not notice each other.
 *
 * What is typed stands in a draft until the server has taken it.
 */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useDraft } from '../../state/draft.ts';
import type { Failure } from '../../state/failure.ts';
import { useWrite } from '../../state/write.ts';
import { guarded } from '../../state/guarded-write.ts';
import { conflicts, isSame, keepMine, touch, unsent, without, type Typed } from './field-merge.ts';

interface FieldsEditOptions<Known, Fields extends object> {
  /** Of the draft. */
  readonly name: string;
  /** As the server has given it: its tag guards the write. */
  readonly known: Known;
  readonly fieldsOf: (known: Known) => Fields;
  readonly write: (fields: Fields, known: Known) => Promise<Known>;
  readonly read: () => Promise<Known>;
  /** Takes what the server has answered. */
  readonly onKnown: (known: Known) => void;
}

export interface FieldsEdit<Fields extends object> {
  /** As they are typed; the server's where nothing is. */
  readonly shown: Fields;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** Something was written since the form is shown. */
  readonly isSaved: boolean;
  /** It was typed before the page was loaded, and nothing has been typed since. */
  readonly isFound: boolean;
  readonly failure: Failure | undefined;
  /** Fields that somebody else has changed too, with what they have now. Nothing is written before a choice. */
  readonly conflicts: readonly { readonly name: keyof Fields & string; readonly theirs: unknown }[];
  readonly change: (members: Partial<Fields>) => void;
  readonly save: () => Promise<void>;
  readonly drop: () => void;
  readonly choose: (name: keyof Fields & string, side: 'mine' | 'theirs') => void;
}

export function useFieldsEdit<Known, Fields extends object>(
  options: FieldsEditOptions<Known, Fields>,
): FieldsEdit<Fields> {
  const { name, fieldsOf, write, read, onKnown } = options;
  const draft = useDraft<Typed<Fields>>(name);
  const sending = useWrite();
  const isTouched = useSignal(false);
  const isSaved = useSignal(false);
  const known = useRef(options.known);
  known.current = options.known;
  const server = fieldsOf(options.known);
  const typed = draft.value.value;
  const isDirty = typed !== undefined && unsent(typed, server).length > 0;

  const take = (now: Known): void => {
    known.current = now;
    onKnown(now);
  };
  const save = async (): Promise<void> => {
    const now = draft.value.peek();
    if (now === undefined || sending.isRunning.peek()) return;
    const there = fieldsOf(known.current);
    if (unsent(now, there).length === 0) return draft.discard();
    if (conflicts(now, there).length > 0) return;
    const end = await sending.run(() =>
      guarded({
        known: known.current,
        write: (base) => write({ ...fieldsOf(base), ...now.mine }, base),
        read,
        isAsKnown: (base) => conflicts(now, fieldsOf(base)).length === 0,
      }),
    );
    if (end === undefined) return;
    if ('theirs' in end) return take(end.theirs);
    take(end.answer);
    isSaved.value = true;
    const later = draft.value.peek();
    if (later === undefined) return;
    const sent = Object.keys(now.mine) as (keyof Fields & string)[];
    draft.value.value = without(
      later,
      sent.filter((field) => isSame(later.mine[field], now.mine[field])),
    );
    // What was typed meanwhile.
    if (draft.value.peek() !== undefined) await save();
  };
  return {
    shown: { ...server, ...typed?.mine },
    isDirty,
    isSaving: sending.isRunning.value,
    isSaved: isSaved.value,
    isFound: draft.isFound && isDirty && !isTouched.value,
    failure: sending.failure.value,
    conflicts:
      typed === undefined ? [] : conflicts(typed, server).map((field) => ({ name: field, theirs: server[field] })),
    change(members) {
      isTouched.value = true;
      draft.value.value = touch(draft.value.peek(), fieldsOf(known.current), members);
    },
    save,
    drop() {
      draft.discard();
      sending.clear();
    },
    choose(field, side) {
      const now = draft.value.peek();
      if (now === undefined) return;
      draft.value.value = side === 'mine' ? keepMine(now, fieldsOf(known.current), field) : without(now, [field]);
      void save();
    },
  };
}
