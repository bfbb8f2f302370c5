/** A field of a search that stands in the address: it is taken over when one pauses. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { place, refine } from './place.ts';

const PAUSE_MS = 250;

interface SearchText {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly onCommit: () => void;
}

/** @param name Of the query's member in the address. */
export function useSearchText(name: string): SearchText {
  const known = place.value.query.get(name) ?? '';
  const [text, setText] = useState(known);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Another address, as by a link or "back".
  useEffect(() => setText(known), [known]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const commit = (value: string): void => {
    clearTimeout(timer.current);
    if (value !== (place.value.query.get(name) ?? '')) refine({ [name]: value });
  };
  return {
    value: text,
    onInput(value) {
      setText(value);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => commit(value), PAUSE_MS);
    },
    onCommit: () => commit(text),
  };
}
