/** Creates a mock, or routes in a working copy, from the recorded exchanges with a host. */
import { useState } from 'preact/hooks';
import type { StagedExchanges } from '../../client/gateway-shapes.ts';
import { StagedReport } from '../mocks/upstream/staged-report.tsx';
import { errorsOf } from '../parts/bound.ts';
import { Check, SelectField, TextField } from '../parts/controls.tsx';
import { Dialog, FormDialog } from '../parts/dialog.tsx';
import { SafeCode } from '../parts/safe-text.tsx';
import { hrefOf } from '../state/place.ts';
import { api } from '../state/session.ts';
import { useWrite } from '../state/write.ts';
import { MockPicker } from './attach-field.tsx';
import { useMockNames } from './mock-names.ts';
import { choices } from '../parts/words.ts';

interface MakeMockProps {
  readonly host: string;
  /** The session of the exchange, if any. */
  readonly session: string | undefined;
  readonly onClose: () => void;
}

const TITLE = 'Create mock from this host';

const INTO = choices({ new: 'A new, running mock', known: 'The working copy of a mock' });

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
  const make = async (): Promise<void> => {
    setStaged(await write.run(() => api().gateway.stage(body)));
  };
  const errorAt = errorsOf(write.failure.value);
  if (staged !== undefined) return <Made staged={staged} onClose={onClose} />;
  return (
    <FormDialog
      title={TITLE}
      wide
      submit="Create"
      disabled={into === 'known' && mockId === ''}
      onSubmit={() => void make()}
      onClose={onClose}
      write={write}
      what="Creating the mock"
    >
      <p>
        The recorded exchanges with <SafeCode text={host} max={100} /> become routes. They are recorded while{' '}
        <a href={hrefOf(['gateway', 'settings'])}>the settings of the gateway</a> keep bodies.
      </p>
      <SelectField label="Create in" value={into} options={INTO} onChange={setInto} />
      {into === 'new' ? (
        <TextField label="Name" value={name} onInput={setName} takesFocus error={errorAt('/name')} />
      ) : (
        <MockPicker label="Mock" id={mockId} mocks={mocks} error={errorAt('/mockId')} onChange={setMockId} />
      )}
      <Check label="Route requests for this host to the mock" checked={attach} onChange={setAttach} />
    </FormDialog>
  );
}

function Made({ staged, onClose }: { readonly staged: StagedExchanges; readonly onClose: () => void }): JSX.Element {
  const { mockId, mock, attached } = staged;
  const isNew = mock !== undefined;
  return (
    <Dialog title={TITLE} wide onClose={onClose}>
      <StagedReport title={isNew ? 'Mock created' : 'Routes added to the working copy'} staged={staged}>
        <a class="button primary" href={hrefOf(['mocks', mockId, isNew ? 'routes' : 'diff'])}>
          {isNew ? 'Open its routes' : 'Review and save'}
        </a>
      </StagedReport>
      {attached && <p>Requests for the host now go to this mock.</p>}
    </Dialog>
  );
}
