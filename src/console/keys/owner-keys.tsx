/** The owner's keys, for admins: list, create and revoke. A new key is shown once. */
import { useState } from 'preact/hooks';
import type { KeyRecord, NewKey } from '../../client/shapes.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Moment } from '../parts/moment.tsx';
import { TableHead } from '../parts/table.tsx';
import { SafeCode, SafeLine } from '../parts/safe-text.tsx';
import { Shown } from '../parts/states.tsx';
import { useResource } from '../state/resource.ts';
import { api, me } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { useWrite } from '../state/write.ts';

const ROLES = [
  ['viewer', 'viewer: read-only'],
  ['editor', 'editor: edits everything'],
  ['admin', 'admin: edits everything, and manages keys'],
  ['proxy', 'proxy: uses only the gateway'],
] as const;

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
    <section class="panel" aria-labelledby="owner-keys">
      <h2 id="owner-keys">Keys of this owner</h2>
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
      {open !== undefined && open !== 'new' && <RevokeDialog of={open} onClose={close} onRevoked={setRevoked} />}
    </section>
  );
}

interface KeyTableProps {
  readonly keys: readonly KeyRecord[];
  readonly onRevoke: (key: KeyRecord) => void;
}

const KeyTable = ({ keys, onRevoke }: KeyTableProps): JSX.Element => (
  <table class="keys-table">
    <TableHead names={['User', 'Role', 'Key', 'Created', 'State', 'Action']} />
    <tbody>
      {keys.map((key) => (
        <tr key={key.keyId}>
          <th scope="row">
            <SafeLine text={key.user} />
          </th>
          <td>{key.role}</td>
          <td>
            <SafeCode text={key.keyId} />
          </td>
          <td>
            <Moment at={key.creationDate} />
          </td>
          <td>
            {key.state}
            {key.state === 'valid' && key.expiresAt !== null && (
              <>
                {' until '}
                <Moment at={Date.parse(key.expiresAt)} />
              </>
            )}
          </td>
          <td>
            {key.keyId === me.value?.keyId
              ? 'this tab'
              : key.state === 'valid' && (
                  <Button kind="danger" label={`Revoke the key ${key.keyId}`} onClick={() => onRevoke(key)}>
                    Revoke
                  </Button>
                )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
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
  const problemOf = (path: string): string | undefined =>
    write.failure.value?.details.find((detail) => detail.path === path)?.message;
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

interface RevokeDialogProps {
  readonly of: KeyRecord;
  readonly onClose: () => void;
  readonly onRevoked: (keyId: string) => void;
}

function RevokeDialog({ of, onClose, onRevoked }: RevokeDialogProps): JSX.Element {
  const write = useWrite();
  const revoke = async (): Promise<void> => {
    if (
      (await write.run(async () =>
        api()
          .keys.revoke(of.keyId)
          .then(() => true),
      )) !== true
    )
      return;
    onRevoked(of.keyId);
    notify(`Revoked the key of ${of.user}.`);
    onClose();
  };
  return (
    <FormDialog
      title="Revoke a key"
      submit="Revoke"
      danger
      onSubmit={() => void revoke()}
      onClose={onClose}
      write={write}
      what="Revoking the key"
    >
      <p>
        Revokes the {of.role} key of <SafeLine text={of.user} /> permanently.
      </p>
    </FormDialog>
  );
}
