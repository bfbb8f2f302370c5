/** Live stores of a mock or a session: shows and resets their values. */
import { useState } from 'preact/hooks';
import type { Client } from '../../../client/index.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeBlock, SafeLine } from '../../parts/safe-text.tsx';
import { Section } from '../../parts/section.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { useResource } from '../../state/resource.ts';
import { mayEdit } from '../../state/session.ts';
import { notify } from '../../state/toasts.ts';
import { useWrite } from '../../state/write.ts';

interface LiveStoresProps {
  readonly stores: ReturnType<Client['mocks']['stores']>;
  /** The id of the mock or the session. */
  readonly of: string;
  readonly about: string;
}

/** Renders nothing for a mock without stores. */
export function LiveStores({ stores: client, of, about }: LiveStoresProps): JSX.Element | null {
  const stores = useResource(() => client.list(), [of]);
  const [shown, setShown] = useState<{ readonly name: string; readonly text: string }>();
  const write = useWrite();
  const { value: all = [], failure } = stores.state.value;
  if (all.length === 0 && failure === undefined) return null;
  const show = async (name: string): Promise<void> => {
    const found = await write.run(() => client.get(name));
    if (found === undefined) return;
    setShown({ name, text: JSON.stringify(found.value, undefined, 2) });
    await stores.reload();
  };
  const reset = async (name: string): Promise<void> => {
    const isDone = await write.run(async () => {
      await client.reset(name);
      return true;
    });
    if (isDone === undefined) return;
    setShown(undefined);
    notify('Store reset to its initial value.');
    await stores.reload();
  };
  return (
    <Section level={2} title="Live stores" class="panel stack tight">
      <p class="muted">{about}</p>
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
            {shown?.name === name && <SafeBlock text={shown.text} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}
