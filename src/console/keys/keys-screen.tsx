/** The current key, the owner's keys for admins, and the commands that create, list and revoke keys. */
import { Command, CopyButton } from '../parts/copy-button.tsx';
import { Page } from '../parts/page.tsx';
import { SafeCode, SafeLine } from '../parts/safe-text.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { DocLink } from '../parts/states.tsx';
import { labelOf } from '../parts/words.ts';
import { OwnerKeys, ROLES } from './owner-keys.tsx';
import { endsIn } from '../state/key-end.ts';
import { managesKeys, me } from '../state/session.ts';
import { shellWord } from '../../languages/shell-word.ts';

export function KeysScreen(): JSX.Element {
  return (
    <Page title="Keys">
      <div class="stack measure">
        <ThisKey />
        {managesKeys.value && <OwnerKeys />}
        <Section level={2} title="Commands" class="panel">
          <p>
            {managesKeys.value
              ? 'Run these on the server, as a user who can read its data directory. They manage the keys of every owner.'
              : 'An admin key manages keys on this page. Otherwise run these on the server, as a user who can read its data directory.'}{' '}
            A key gives access to all mocks and rules of its owner; a viewer key is read-only.
          </p>
          <ul class="stack">
            {commandsOf(me.value?.ownerId ?? '').map(({ what, command }) => (
              <li key={command} class="stack tight">
                <Command text={command} what={`the command: ${what}`} label={what} />
              </li>
            ))}
          </ul>
          <p class="hint">
            In a clone of the repository, use <code>node dist/cli.js</code> instead of <code>switchyard</code>. Add{' '}
            <code>--data</code> unless the data directory is <code>./snapshots</code>. More:{' '}
            <DocLink to="operations#keys">operations, keys</DocLink>
          </p>
        </Section>
      </div>
    </Page>
  );
}

function ThisKey(): JSX.Element | null {
  const known = me.value;
  if (known === undefined) return null;
  const { userId, ownerId, role, keyId, expiresAt, version } = known;
  return (
    <Section level={2} title="Current key" class="panel">
      <Facts
        rows={[
          ['User', <SafeLine text={userId} />],
          ['Owner', <SafeLine text={ownerId} />],
          ['Role', labelOf(ROLES, role)],
          [
            'Key',
            <>
              <SafeCode text={keyId} /> <CopyButton text={keyId} what="the key id" />
            </>,
          ],
          ['Expires', expiresAt === null ? 'never' : <End at={expiresAt} />],
          [
            'Server',
            <>
              Switchyard <SafeLine text={version} />
            </>,
          ],
        ]}
      />
      <p class="hint">
        This tab keeps the key until you close it or sign out. The key stays valid until it expires or is revoked.
      </p>
    </Section>
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
      what: 'Print a sign-in link, valid once within a minute',
      command: `switchyard console ${of} --user ann`,
    },
    { what: 'Print a read-only sign-in link', command: `switchyard console ${of} --user ann --role viewer` },
    { what: 'Create a key for scripts', command: `switchyard keys create ${of} --user ci` },
    { what: 'Create a key that expires', command: `switchyard keys create ${of} --user ci --expires 30d` },
    { what: 'List all keys, without secrets', command: 'switchyard keys list' },
    { what: 'Revoke a key at once', command: 'switchyard keys revoke KEYID' },
  ];
}
