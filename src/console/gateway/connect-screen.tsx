/** How to send requests through the gateway, and trust it for HTTPS. */
import { API_URL } from '../state/session.ts';
import { Command, CopyButton } from '../parts/copy-button.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { DocLink } from '../parts/states.tsx';
import { clientLines } from './client-lines.ts';
import type { GatewayStatus } from '../../client/shapes.ts';

export type Running = GatewayStatus & { readonly server: string };

/** The props of screens that need a running gateway. */
export interface RunningProps {
  readonly gateway: Running;
  /** The address below the tab. */
  readonly path: readonly string[];
}

export const ConnectScreen = ({ gateway }: RunningProps): JSX.Element => (
  <div class="columns gateway-connect">
    <Section level={2} title="Clients" class="panel stack">
      <p>
        The address of the proxy is <code>{gateway.server}</code>{' '}
        <CopyButton text={gateway.server} what="the address" />
      </p>
      <p>
        The user is <code>key</code>, and the password is an API key. A key with the role <code>proxy</code> can use
        only the gateway. The commands below read the key from <code>SWITCHYARD_API_KEY</code>.
      </p>
      <ClientLines gateway={gateway} user="key" />
    </Section>
    <Authority gateway={gateway} />
  </div>
);

interface ClientLinesProps {
  readonly gateway: Running;
  /** "key", or the id of a session. */
  readonly user: string;
}

/** @param user "key", or the id of a session. */
export const linesFor = ({ server, ca }: Running, user: string): ReturnType<typeof clientLines> =>
  clientLines({ server, user, hasCa: ca !== null, api: API_URL.replace(/\/v1$/, '') });

export const ClientLines = ({ gateway, user }: ClientLinesProps): JSX.Element => (
  <>
    {linesFor(gateway, user).map(({ client, text, note }) => (
      <section key={client} class="stack tight" aria-label={client}>
        <h3>{client}</h3>
        <Command text={text} what={`the command for ${client}`} label="" />
        {note !== '' && <p class="hint">{note}</p>}
      </section>
    ))}
  </>
);

function Authority({ gateway: { ca } }: { readonly gateway: Running }): JSX.Element {
  if (ca === null) {
    return (
      <Section level={2} title="HTTPS" class="panel stack">
        <p class="warning">
          This server has no authority for certificates: tunnels (HTTPS) are refused with 501, and plain HTTP passes.
        </p>
      </Section>
    );
  }
  return (
    <Section level={2} title="HTTPS" class="panel stack">
      <p>Rules apply to HTTPS too: the gateway presents a certificate of its own CA, which the client must trust.</p>
      <p>
        <a class="button" href={`${API_URL}/gateway/ca.pem`} download="gateway-ca.pem">
          Download gateway-ca.pem
        </a>
      </p>
      <Facts
        rows={[
          ['SHA-256 fingerprint', <Copied text={ca.fingerprint} what="the fingerprint" />],
          ['Public key (SPKI)', <Copied text={ca.spkiSha256} what="the hash of the public key" />],
          ['Expires', <time dateTime={ca.expiresAt}>{new Date(ca.expiresAt).toLocaleString()}</time>],
        ]}
      />
      <p>
        Compare the fingerprint with the output of <code>switchyard ca show</code> on the server.
      </p>
      <p class="warning">
        The private key of this CA can impersonate any site to clients that trust it. Trust it only in test profiles,
        containers and processes, never in your own browser or operating system.
      </p>
      <p>
        <DocLink to="gateway#https">HTTPS in the documentation</DocLink>
      </p>
    </Section>
  );
}

const Copied = ({ text, what }: { readonly text: string; readonly what: string }): JSX.Element => (
  <>
    <code>{text}</code> <CopyButton text={text} what={what} />
  </>
);
