/** What the stores of a mock or of a session have now: shown, edited, and set to what they begin with. */
import { useState } from 'preact/hooks';
import type { Client } from '../../../client/index.ts';
import { Button, TextField } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { useResource } from '../../state/resource.ts';
import { mayEdit } from '../../state/session.ts';
import { tell } from '../../state/toasts.ts';
import { useWrite } from '../../state/write.ts';

/** Larger values are shown in part, and changed over the API. */
const SHOWN_CHARS_MAX = 100_000;
const ROWS_MAX = 30;

interface LiveStoresProps {
  readonly stores: ReturnType<Client['mocks']['stores']>;
  /** The id of the mock, or of the session. */
  readonly of: string;
  readonly about: string;
}

interface Shown {
  readonly name: string;
  /** As it was read, and as it is typed. */
  readonly text: string;
  readonly typed: string;
  readonly etag: string;
}

/** Nothing for a mock without stores. */
export function LiveStores({ stores: client, of, about }: LiveStoresProps): JSX.Element | null {
  const stores = useResource(() => client.list(), [of]);
  const [shown, setShown] = useState<Shown>();
  const write = useWrite();
  const { value: all = [], failure } = stores.state.value;
  if (all.length === 0 && failure === undefined) return null;
  const show = async (name: string): Promise<void> => {
    const found = await write.run(() => client.get(name));
    if (found === undefined) return;
    const text = JSON.stringify(found.value, undefined, 2);
    setShown({ name, text, typed: text, etag: found.etag });
    await stores.reload();
  };
  const reset = async (name: string): Promise<void> => {
    const isDone = await write.run(async () => {
      await client.reset(name);
      return true;
    });
    if (isDone === undefined) return;
    setShown(undefined);
    tell('The store has the value that it begins with.');
    await stores.reload();
  };
  const save = async ({ name, typed, etag }: Shown): Promise<void> => {
    const saved = await write.run(() => client.put(name, JSON.parse(typed), { ifMatch: etag }));
    if (saved === undefined) return;
    tell('Every request sees the new value.');
    await show(name);
  };
  return (
    <section class="panel stack tight" aria-labelledby="live-stores">
      <h2 id="live-stores">Stores now</h2>
      <p class="muted">{about}</p>
      <FailureBox failure={failure} what="Loading the stores" onRetry={() => void stores.reload()} />
      <FailureBox failure={write.failure.value} what="Reading or changing the store" />
      <ul>
        {all.map(({ name, count, bytes }) => (
          <li key={name}>
            <span class="row">
              <SafeLine text={name} max={100} />
              <span class="muted">
                {count === null ? '' : `${countText(count, 'item')} · `}
                {numberText(bytes)} bytes
              </span>
              <Button
                kind="quiet"
                label={`Show store ${name}`}
                onClick={() => (shown?.name === name ? setShown(undefined) : void show(name))}
              >
                {shown?.name === name ? 'Hide' : 'Show'}
              </Button>
              {mayEdit.value && (
                <Button
                  kind="quiet"
                  label={`Reset store ${name}`}
                  busy={write.isRunning.value}
                  onClick={() => void reset(name)}
                >
                  Reset
                </Button>
              )}
            </span>
            {shown?.name === name && (
              <ShownValue
                shown={shown}
                isWriting={write.isRunning.value}
                onInput={(typed) => setShown({ ...shown, typed })}
                onSave={() => void save(shown)}
                onRead={() => void show(name)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ShownValueProps {
  readonly shown: Shown;
  readonly isWriting: boolean;
  readonly onInput: (typed: string) => void;
  readonly onSave: () => void;
  readonly onRead: () => void;
}

function ShownValue({ shown, isWriting, onInput, onSave, onRead }: ShownValueProps): JSX.Element {
  const { name, text, typed } = shown;
  if (text.length > SHOWN_CHARS_MAX) {
    return (
      <>
        <pre class="code">{text.slice(0, SHOWN_CHARS_MAX)}</pre>
        <p class="hint">The first {numberText(SHOWN_CHARS_MAX)} characters.</p>
      </>
    );
  }
  const problem = problemOf(typed);
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined) onSave();
      }}
    >
      <TextField
        label={`Value of ${name}`}
        hiddenLabel
        value={typed}
        rows={Math.min(ROWS_MAX, typed.split('\n').length)}
        readOnly={!mayEdit.value}
        error={problem}
        onInput={onInput}
        monospace
      />
      <p class="row">
        {mayEdit.value && (
          <Button type="submit" kind="primary" busy={isWriting} disabled={typed === text || problem !== undefined}>
            Save value
          </Button>
        )}
        <Button onClick={onRead}>Read again</Button>
      </p>
    </form>
  );
}

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
