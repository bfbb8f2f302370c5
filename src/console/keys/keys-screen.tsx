/** The current key, the owner's keys for admins, and the commands that create, list and revoke keys. */
import { Command, CopyButton } from '../parts/copy-button.tsx';
import { Page } from '../parts/page.tsx';
import { SafeCode, SafeLine } from '../parts/safe-text.tsx';
import { OwnerKeys } from './owner-keys.tsx';
import { endsIn } from '../state/key-end.ts';
import { managesKeys, me } from '../state/session.ts';
import { shellWord } from '../state/shell-word.ts';

export function KeysScreen(): JSX.Element {
  return (
    <Page title="Keys">
      <div class="keys-screen">
        <ThisKey />
        {managesKeys.value && <OwnerKeys />}
        <section class="panel" aria-labelledby="commands-of-keys">
          <h2 id="commands-of-keys">By commands</h2>
          <p>
            {managesKeys.value
              ? 'Where the server runs, keys of every owner are made, by somebody who may read its data directory.'
              : "With an admin's key, keys are made and revoked here; and with any, where the server runs, by somebody who may read its data directory."}{' '}
            A key has access to all of its owner's mocks and rules; a viewer's key changes nothing.
          </p>
          <ul class="stack">
            {commandsOf(me.value?.ownerId ?? '').map(({ what, command }) => (
              <li key={command} class="keys-command">
                <Command text={command} what={`the command: ${what}`} label={what} />
              </li>
            ))}
          </ul>
          <p class="hint">
            In a clone of the repository, <code>node dist/cli.js</code> stands for <code>switchyard</code>. Add{' '}
            <code>--data</code> with the server's data directory when it is not <code>./snapshots</code>. More:{' '}
            <a href="console/docs/operations#keys" target="_blank" rel="noreferrer">
              operations, keys
            </a>
          </p>
        </section>
      </div>
    </Page>
  );
}

const ROLE_WORDS = {
  admin: 'admin: may change everything, and manages keys',
  editor: 'editor: may change everything',
  viewer: 'viewer: read-only',
  proxy: 'proxy: uses the gateway alone',
} as const;

function ThisKey(): JSX.Element | null {
  const known = me.value;
  if (known === undefined) return null;
  const { userId, ownerId, role, keyId, expiresAt, version } = known;
  return (
    <section class="panel" aria-labelledby="this-key">
      <h2 id="this-key">This tab's key</h2>
      <dl class="facts">
        <dt>User</dt>
        <dd>
          <SafeLine text={userId} />
        </dd>
        <dt>Owner</dt>
        <dd>
          <SafeLine text={ownerId} />
        </dd>
        <dt>Role</dt>
        <dd>{ROLE_WORDS[role]}</dd>
        <dt>Key</dt>
        <dd>
          <SafeCode text={keyId} /> <CopyButton text={keyId} what="the id of the key" />
        </dd>
        <dt>Ends</dt>
        <dd>{expiresAt === null ? 'never' : <End at={expiresAt} />}</dd>
        <dt>Server</dt>
        <dd>
          Switchyard <SafeLine text={version} />
        </dd>
      </dl>
      <p class="hint">
        The key is kept for this tab alone, and is gone when the tab is closed or “Forget key” is pressed. That does not
        end it: <code>keys revoke</code> does.
      </p>
    </section>
  );
}

const End = ({ at }: { readonly at: string }): JSX.Element => (
  <>
    <time dateTime={at}>{new Date(at).toLocaleString()}</time> ({endsIn(at, Date.now())})
  </>
);

interface KeyCommand {
  readonly what: string;
  readonly command: string;
}

/** @param owner Unquoted. */
function commandsOf(owner: string): readonly KeyCommand[] {
  const of = `--owner ${shellWord(owner)}`;
  return [
    {
      what: 'Sign somebody in by a link, which works once within a minute',
      command: `switchyard console ${of} --user ann`,
    },
    { what: 'The same, only to look', command: `switchyard console ${of} --user ann --role viewer` },
    { what: 'A key for scripts', command: `switchyard keys create ${of} --user ci` },
    { what: 'A key that expires', command: `switchyard keys create ${of} --user ci --expires 30d` },
    { what: 'All keys, without their secrets', command: 'switchyard keys list' },
    { what: 'End a key at once', command: 'switchyard keys revoke KEYID' },
  ];
}
