/** A record by its name, linked; one that was deleted by its id. */
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
  /** What was done: entries about keys and the gateway name nothing that has a page of its own. */
  readonly command?: string;
  /** In a row of a list, the row has the focus. */
  readonly isInRow?: boolean;
}

export function RecordLink({ id, command = '', isInRow = false }: RecordLinkProps): JSX.Element {
  const isPlain = command.startsWith('key.');
  const record = useRecord(isPlain ? undefined : id);
  if (isPlain) return <code>{id}</code>;
  const kind = kindOf(id);
  const stay = isInRow ? { tabIndex: -1, onClick: (event: MouseEvent) => event.stopPropagation() } : {};
  // There is one for an owner, without a name.
  if (kind === 'gateway') {
    return (
      <a href={hrefOfRecord(id)} {...stay}>
        settings of the gateway
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

/** Its name; `undefined` when it has been deleted. */
interface Known {
  readonly name: string | undefined;
}

const known = signal<ReadonlyMap<string, Known>>(new Map());

/** Requests that run at a time: a page of the history may name a hundred records. */
const LANES = 3;
/** Rows that are scrolled past are not asked for. */
const SETTLE_MS = 100;
let waiting: string[] = [];
let running = 0;
const asked = new Set<string>();

/** @returns undefined until it is known, and when it cannot be. */
function useRecord(id: string | undefined): Known | undefined {
  useEffect(() => {
    if (id === undefined || asked.has(id)) return undefined;
    const timer = setTimeout(() => askFor(id), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return id === undefined ? undefined : known.value.get(id);
}

/** Asks for names anew while a screen shows them: others may have renamed or deleted what was known. */
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

/** Takes the names that came with entries: those without are gone. */
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
    // The newest are in view.
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
    // It may be known at another time; the id stands for the name.
    else asked.delete(id);
  }
}
