/** A record as a link with its name; a deleted one by its id. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { HistoryRecord } from '../../client/shapes.ts';
import { SwitchyardError } from '../../client/switchyard-error.ts';
import { SafeLine } from '../parts/safe-text.tsx';
import { onChange } from '../state/changes.ts';
import { api } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { hrefOfRecord, kindOf } from './entry-words.ts';

interface RecordLinkProps {
  readonly id: string;
  /** Entries about keys and the gateway have no page. */
  readonly command?: string;
  /** The row has the focus. */
  readonly isInRow?: boolean;
}

export function RecordLink({ id, command = '', isInRow = false }: RecordLinkProps): JSX.Element {
  const isPlain = command.startsWith('key.');
  const record = useRecord(isPlain ? undefined : id);
  if (isPlain) return <code>{id}</code>;
  const kind = kindOf(id);
  const stay = isInRow ? { tabIndex: -1, onClick: (event: MouseEvent) => event.stopPropagation() } : {};
  // One per owner, without a name.
  if (kind === 'gateway') {
    return (
      <a href={hrefOfRecord(id)} {...stay}>
        gateway settings
      </a>
    );
  }
  if (record !== undefined && record.name === undefined) {
    return (
      <>
        <code class="muted">{visibleLine(id, 80)}</code> <span class="badge">deleted</span>
      </>
    );
  }
  return (
    <>
      <span class="muted">{kind}</span>{' '}
      <a href={hrefOfRecord(id)} {...stay}>
        {record?.name === undefined ? (
          <code>{visibleLine(id, 80)}</code>
        ) : (
          <SafeLine text={record.name === '' ? id : record.name} />
        )}
      </a>
    </>
  );
}

/** `undefined`: deleted. */
interface RecordNames {
  readonly name: string | undefined;
}

const known = signal<ReadonlyMap<string, RecordNames>>(new Map());

/** Concurrent requests: a page of the history may name a hundred records. */
const LANES = 3;
/** Skips rows that the user scrolls past. */
const SETTLE_MS = 100;
let waiting: string[] = [];
let running = 0;
const asked = new Set<string>();

/** @returns undefined until known, or when unavailable. */
function useRecord(id: string | undefined): RecordNames | undefined {
  useEffect(() => {
    if (id === undefined || asked.has(id)) return undefined;
    const timer = setTimeout(() => askFor(id), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return id === undefined ? undefined : known.value.get(id);
}

/** Reloads names while a screen shows them: other users may rename or delete records. */
export function useFreshRecords(): void {
  useEffect(() => {
    asked.clear();
    waiting = [];
    known.value = new Map();
    return onChange((change) => {
      if (change === undefined) asked.clear();
      for (const id of change?.recordIds ?? []) {
        asked.delete(id);
        if (known.peek().has(id)) askFor(id);
      }
    });
  }, []);
}

/** Takes the names that came with entries; a record without one was deleted. */
export function learnNames(entries: readonly Pick<HistoryRecord, 'recordIds' | 'names'>[]): void {
  const learned = new Map(known.peek());
  for (const { recordIds, names } of entries) {
    for (const id of recordIds) {
      asked.add(id);
      learned.set(id, { name: names[id] });
    }
  }
  known.value = learned;
}

function askFor(id: string): void {
  if (asked.has(id)) return;
  asked.add(id);
  waiting.push(id);
  askNext();
}

function askNext(): void {
  while (running < LANES) {
    const id = waiting.pop();
    if (id === undefined) return;
    running++;
    void ask(id).finally(() => {
      running--;
      askNext();
    });
  }
}

async function ask(id: string): Promise<void> {
  const kind = kindOf(id);
  if (kind === 'gateway') return;
  try {
    const { mocks, rules, groups } = api();
    const { name } = await { mock: mocks, rule: rules, group: groups }[kind].get(id);
    known.value = new Map(known.value).set(id, { name });
  } catch (error) {
    const isGone = error instanceof SwitchyardError && error.status === 404;
    if (isGone) known.value = new Map(known.value).set(id, { name: undefined });
    // A later try may succeed; until then the id replaces the name.
    else asked.delete(id);
  }
}
