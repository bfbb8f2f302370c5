/** The owner's keys, for admins: list, create and revoke. A new key is shown once. */
import { useState } from 'preact/hooks';
import type { KeyRecord, NewKey } from '../../client/shapes.ts';
import { errorsOf } from '../parts/bound.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { ConfirmDialog, FormDialog } from '../parts/dialog.tsx';
import { Moment } from '../parts/moment.tsx';
import { SafeCode, SafeLine } from '../parts/safe-text.tsx';
import { Section, Table } from '../parts/section.tsx';
import { Shown } from '../parts/states.tsx';
import { useResource } from '../state/resource.ts';
import { api, me } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { useWrite } from '../state/write.ts';
import { choices } from '../parts/words.ts';

export const ROLES = choices({
  viewer: 'viewer: read-only',
  editor: 'editor: edits everything',
  admin: 'admin: edits everything, and manages keys',
  proxy: 'proxy: uses only the gateway',
});

export function OwnerKeys(): JSX.Element {
  const [made, setMade] = useState<NewKey | undefined>(undefined);
  const [open, setOpen] = useState<'new' | KeyRecord | undefined>(undefined);
  // The change feed omits this tab's own changes.
  const [revoked, setRevoked] = useState('');
  const keys = useResource<readonly KeyRecord[]>(() => api().keys.list(), [made?.keyId, revoked], {
    whenChanged: ({ command }) => (command.startsWith('key.') ? 'reload' : undefined),
  });
  const close = (): void => setOpen(undefined);
  return (
    <Section level={2} title="Keys of this owner" class="panel">
      {made !== undefined && (
        <p role="status">
          New key of <SafeLine text={made.user} />, shown only once: <code>{made.key}</code>{' '}
          <CopyButton text={made.key} what="the new key" />
        </p>
      )}
      <Button kind="primary" onClick={() => setOpen('new')}>
        New key
      </Button>
      <Shown of={keys} what="the keys">
        {(all) => <KeyTable keys={all} onRevoke={setOpen} />}
      </Shown>
      {open === 'new' && <NewKeyDialog onClose={close} onMade={setMade} />}
      {open !== undefined && open !== 'new' && (
        <ConfirmDialog
          title="Revoke a key"
          submit="Revoke"
          what="Revoking the key"
          send={() => api().keys.revoke(open.keyId)}
          onDone={() => {
            setRevoked(open.keyId);
            notify(`Revoked the key of ${open.user}.`);
            close();
          }}
          onClose={close}
        >
          Revokes the {open.role} key of <SafeLine text={open.user} /> permanently.
        </ConfirmDialog>
      )}
    </Section>
  );
}

interface KeyTableProps {
  readonly keys: readonly KeyRecord[];
  readonly onRevoke: (key: KeyRecord) => void;
}

const KeyTable = ({ keys, onRevoke }: KeyTableProps): JSX.Element => (
  <Table
    head={['User', 'Role', 'Key', 'Created', 'State', 'Action']}
    rows={keys.map((key) => [
      <SafeLine text={key.user} />,
      key.role,
      <SafeCode text={key.keyId} />,
      <Moment at={key.creationDate} />,
      <>
        {key.state}
        {key.state === 'valid' && key.expiresAt !== null && (
          <>
            {' until '}
            <Moment at={Date.parse(key.expiresAt)} />
          </>
        )}
      </>,
      key.keyId === me.value?.keyId
        ? 'this tab'
        : key.state === 'valid' && (
            <Button kind="danger" label={`Revoke the key ${key.keyId}`} onClick={() => onRevoke(key)}>
              Revoke
            </Button>
          ),
    ])}
  />
);

function NewKeyDialog(props: { readonly onClose: () => void; readonly onMade: (key: NewKey) => void }): JSX.Element {
  const [user, setUser] = useState('');
  const [role, setRole] = useState<(typeof ROLES)[number][0]>('editor');
  const [expires, setExpires] = useState('');
  const write = useWrite();
  const create = async (): Promise<void> => {
    const made = await write.run(() => api().keys.create({ user, role, ...(expires === '' ? {} : { expires }) }));
    if (made === undefined) return;
    props.onMade(made);
    props.onClose();
  };
  const problemOf = errorsOf(write.failure.value);
  const [ofUser, ofEnd] = [problemOf('/user'), problemOf('/expires')];
  return (
    <FormDialog
      title="New key"
      submit="Create"
      onSubmit={() => void create()}
      onClose={props.onClose}
      write={write}
      {...((ofUser ?? ofEnd) === undefined ? { what: 'Creating the key' } : {})}
    >
      <TextField
        label="User"
        value={user}
        onInput={setUser}
        takesFocus
        error={ofUser && `User: ${ofUser}.`}
        hint="Appears in the history, such as ann or ci."
      />
      <SelectField label="Role" value={role} options={ROLES} onChange={setRole} />
      <TextField
        label="Expires (optional)"
        value={expires}
        onInput={setExpires}
        error={ofEnd && `Expires: ${ofEnd}.`}
        hint="A duration such as 12h or 30d, or a date such as 2030-12-31."
      />
    </FormDialog>
  );
}
