/** The upstream of a mock: its recording, routes made from it, and drift. */
import { Button } from '../../parts/controls.tsx';
import { Command } from '../../parts/copy-button.tsx';
import { SafeCode } from '../../parts/safe-text.tsx';
import { Empty, FailureBox, Shown } from '../../parts/states.tsx';
import type { MockDefinition } from '../../../model/mocks/definition/definition.ts';
import type { MockScreenProps } from '../../state/mock-screen-props.ts';
import { navigate, hrefOf } from '../../state/place.ts';
import { changesOf, useResource, type Resource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import { useWrite } from '../../state/write.ts';
import { DriftPanel } from './drift-panel.tsx';
import { RecordingPanel } from './recording-panel.tsx';

export function UpstreamScreen({ mock, record }: MockScreenProps): JSX.Element {
  const staged = useResource(() => api().mocks.staged.get(record.id), [record.id], changesOf(record.id));
  const canEdit = mayEdit.value && record.file === null;
  return (
    <Shown of={staged} what="the settings">
      {(definition) => (
        <div class="stack">
          <Proxy
            mockId={record.id}
            staged={staged}
            definition={definition}
            canEdit={canEdit}
            onWritten={() => void mock.reload()}
          />
          <RecordingPanel record={record} canEdit={canEdit} onStaged={() => void mock.reload()} />
          <DriftPanel
            record={record}
            upstream={definition.settings.proxy?.upstream ?? ''}
            canEdit={canEdit}
            onStaged={() => void mock.reload()}
          />
        </div>
      )}
    </Shown>
  );
}

interface ProxyProps {
  readonly mockId: string;
  readonly staged: Resource<MockDefinition>;
  readonly definition: MockDefinition;
  readonly canEdit: boolean;
  readonly onWritten: () => void;
}

const WHEN_WORDS = {
  unmatched: 'Answers requests that match no route.',
  always: 'Answers every request.',
  never: 'Answers only through responses that proxy.',
} as const;

/** The upstream of the working copy, and whether it is recorded. */
function Proxy({ mockId, staged, definition, canEdit, onWritten }: ProxyProps): JSX.Element {
  const { settings } = definition;
  const { proxy } = settings;
  const write = useWrite();
  if (proxy === undefined || proxy === null) return <NoUpstream mockId={mockId} canEdit={canEdit} />;
  const records = proxy.record === true;
  const turn = async (): Promise<void> => {
    const changed = { settings: { ...settings, proxy: { ...proxy, record: !records } } };
    const now = await write.run(() => api().mocks.staged.put(mockId, changed, { ifMatch: definition }));
    if (now === undefined) return;
    staged.replace(now);
    onWritten();
    navigate(['mocks', mockId, 'diff']);
  };
  return (
    <section class="panel stack" aria-labelledby="upstream">
      <header class="spread">
        <h2 id="upstream">
          <SafeCode text={proxy.upstream} />
        </h2>
        {records ? <span class="badge good">● recording</span> : <span class="badge">○ not recording</span>}
      </header>
      <p>
        {WHEN_WORDS[proxy.when ?? 'unmatched']} {records && 'Exchanges are kept in memory, with secrets masked.'}
      </p>
      <FailureBox failure={write.failure.value} what="Changing the settings" onRetry={() => void turn()} />
      <p class="row">
        {canEdit && (
          <Button busy={write.isRunning.value} onClick={() => void turn()}>
            {records ? 'Stop recording…' : 'Record…'}
          </Button>
        )}
        <a href={hrefOf(['mocks', mockId, 'settings'])}>Upstream settings</a>
        <span class="muted">Takes effect when you save the working copy.</span>
      </p>
    </section>
  );
}

const NoUpstream = ({ mockId, canEdit }: Pick<ProxyProps, 'mockId' | 'canEdit'>): JSX.Element => (
  <Empty title="No upstream">
    <p>
      An upstream is the real service behind a mock. It can answer unmatched requests, be recorded into routes, and be
      compared with the mock.
    </p>
    {canEdit ? (
      <p>
        <a class="button" href={hrefOf(['mocks', mockId, 'settings'])}>
          Set an upstream
        </a>
      </p>
    ) : (
      <p class="muted">Setting one needs an editor key, and a mock that does not come from a file.</p>
    )}
    <p>To record a service into a file, without any setup:</p>
    <Command text="switchyard record https://api.example.com -o api.json" what="the command" label="" />
  </Empty>
);
