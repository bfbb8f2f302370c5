/** What the stores of a mock have now, outside of sessions: shown, and set to what they begin with. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../../client/shapes.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { useResource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import { tell } from '../../state/toasts.ts';
import { useWrite } from '../../state/write.ts';

const SHOWN_CHARS_MAX = 20_000;

/** Nothing for a mock without stores. */
export function LiveStores({ record: { id } }: { readonly record: MockRecord }): JSX.Element | null {
  const stores = useResource(() => api().mocks.stores(id).list(), [id]);
  const [shown, setShown] = useState<{ readonly name: string; readonly text: string }>();
  const write = useWrite();
  const { value: all = [], failure } = stores.state.value;
  if (all.length === 0 && failure === undefined) return null;
  const show = async (name: string): Promise<void> => {
    if (shown?.name === name) return setShown(undefined);
    const found = await write.run(() => api().mocks.stores(id).get(name));
    if (found !== undefined)
      setShown({ name, text: JSON.stringify(found.value, undefined, 2).slice(0, SHOWN_CHARS_MAX) });
  };
  const reset = async (name: string): Promise<void> => {
    const done = await write.run(async () => {
      await api().mocks.stores(id).reset(name);
      return true;
    });
    if (done === undefined) return;
    setShown(undefined);
    tell('The store has the value that it begins with.');
    await stores.reload();
  };
  return (
    <section class="panel stack tight" aria-labelledby="live-stores">
      <h2 id="live-stores">Stores now</h2>
      <p class="muted">What requests have made of them. Sessions have their own.</p>
      <FailureBox failure={failure} what="Loading the stores" onRetry={() => void stores.reload()} />
      <FailureBox failure={write.failure.value} what="Reading or resetting the store" />
      <ul>
        {all.map(({ name, count, bytes }) => (
          <li key={name}>
            <span class="row">
              <SafeLine text={name} max={100} />
              <span class="muted">
                {count === null ? '' : `${countText(count, 'item')} · `}
                {numberText(bytes)} bytes
              </span>
              <Button kind="quiet" label={`Show store ${name}`} onClick={() => void show(name)}>
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
            {shown?.name === name && <pre class="code">{shown.text}</pre>}
          </li>
        ))}
      </ul>
    </section>
  );
}
