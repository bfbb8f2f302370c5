/** Creates a mock, or routes in a working copy, from the recorded exchanges with a host. */
import { useState } from 'preact/hooks';
import type { StagedExchanges } from '../../client/gateway-shapes.ts';
import { StagedReport } from '../mocks/upstream/staged-report.tsx';
import { Button, Check, SelectField, TextField } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SafeCode } from '../parts/safe-text.tsx';
import { FailureBox } from '../parts/states.tsx';
import { hrefOf } from '../state/place.ts';
import { api } from '../state/session.ts';
import { useWrite } from '../state/write.ts';
import { MockPicker } from './attach-field.tsx';
import { useMockNames } from './mock-names.ts';

interface MakeMockProps {
  readonly host: string;
  /** The session of the exchange, if any. */
  readonly session: string | undefined;
  readonly onClose: () => void;
}

const INTO = [
  ['new', 'A new, running mock'],
  ['known', 'The working copy of a mock'],
] as const;

export function MakeMock({ host, session, onClose }: MakeMockProps): JSX.Element {
  const mocks = useMockNames();
  const [into, setInto] = useState<'new' | 'known'>('new');
  const [name, setName] = useState(host);
  const [mockId, setMockId] = useState('');
  const [attach, setAttach] = useState(false);
  const [staged, setStaged] = useState<StagedExchanges>();
  const write = useWrite();
  const body = {
    host,
    attach,
    ...(session === undefined ? {} : { session }),
    ...(into === 'new' ? { name } : { mockId }),
  };
  const make = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setStaged(await write.run(() => api().gateway.stage(body)));
  };
  const error = (path: string): string | undefined =>
    write.failure.value?.details.find((detail) => detail.path === path)?.message;
  return (
    <Dialog title="Create mock from this host" wide onClose={onClose}>
      {staged === undefined ? (
        <form class="stack" onSubmit={(event) => void make(event)}>
          <p>
            The recorded exchanges with <SafeCode text={host} max={100} /> become routes. They are recorded while{' '}
            <a href={hrefOf(['gateway', 'settings'])}>the settings of the gateway</a> keep bodies.
          </p>
          <SelectField label="Create in" value={into} options={INTO} onChange={setInto} />
          {into === 'new' ? (
            <TextField label="Name" value={name} onInput={setName} takesFocus error={error('/name')} />
          ) : (
            <MockPicker label="Mock" id={mockId} mocks={mocks} error={error('/mockId')} onChange={setMockId} />
          )}
          <Check label="Route requests for this host to the mock" checked={attach} onChange={setAttach} />
          <FailureBox failure={write.failure.value} what="Creating the mock" />
          <div class="row">
            <Button
              type="submit"
              kind="primary"
              busy={write.isRunning.value}
              disabled={into === 'known' && mockId === ''}
            >
              Create
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </div>
        </form>
      ) : (
        <Made staged={staged} />
      )}
    </Dialog>
  );
}

function Made({ staged }: { readonly staged: StagedExchanges }): JSX.Element {
  const { mockId, mock, attached } = staged;
  const isNew = mock !== undefined;
  return (
    <div class="stack">
      <StagedReport title={isNew ? 'Mock created' : 'Routes added to the working copy'} staged={staged}>
        <a class="button primary" href={hrefOf(['mocks', mockId, isNew ? 'routes' : 'diff'])}>
          {isNew ? 'Open its routes' : 'Review and save'}
        </a>
      </StagedReport>
      {attached && <p>Requests for the host now go to this mock.</p>}
    </div>
  );
}
