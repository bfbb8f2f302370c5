/** How to send requests through the gateway, and trust it for HTTPS. */
import { API_URL } from '../state/session.ts';
import { Command, CopyButton } from '../parts/copy-button.tsx';
import { clientLines } from './client-lines.ts';
import type { Running, RunningProps } from './running.ts';

export const ConnectScreen = ({ gateway }: RunningProps): JSX.Element => (
  <div class="columns gateway-connect">
    <section class="panel stack" aria-labelledby="gateway-clients">
      <h2 id="gateway-clients">Clients</h2>
      <p>
        The address of the proxy is <code>{gateway.server}</code>{' '}
        <CopyButton text={gateway.server} what="the address" />
      </p>
      <p>
        The user is <code>key</code>, and the password is an API key. A key of the role <code>proxy</code> can use the
        gateway and nothing else. The lines below read the key from the variable <code>SWITCHYARD_API_KEY</code>.
      </p>
      <ClientLines gateway={gateway} user="key" />
    </section>
    <Authority gateway={gateway} />
  </div>
);

interface ClientLinesProps {
  readonly gateway: Running;
  /** "key", or the id of a session. */
  readonly user: string;
}

export const ClientLines = ({ gateway: { server, ca }, user }: ClientLinesProps): JSX.Element => (
  <>
    {clientLines({ server, user, spki: ca?.spkiSha256 }).map(({ client, text, note }) => (
      <section key={client} class="stack tight" aria-label={client}>
        <h3>{client}</h3>
        <Command text={text} what={`the lines for ${client}`} label="" />
        {note !== '' && <p class="hint">{note}</p>}
      </section>
    ))}
  </>
);

function Authority({ gateway: { ca } }: { readonly gateway: Running }): JSX.Element {
  if (ca === null) {
    return (
      <section class="panel stack" aria-labelledby="gateway-authority">
        <h2 id="gateway-authority">HTTPS</h2>
        <p class="warning">
          This server has no authority for certificates: tunnels (HTTPS) are refused with 501, and plain HTTP passes.
        </p>
      </section>
    );
  }
  return (
    <section class="panel stack" aria-labelledby="gateway-authority">
      <h2 id="gateway-authority">HTTPS</h2>
      <p>
        Rules act within HTTPS, too: the gateway answers with a certificate of its own authority, which the client has
        to trust.
      </p>
      <p>
        <a class="button" href={`${API_URL}/gateway/ca.pem`} download="gateway-ca.pem">
          Download gateway-ca.pem
        </a>
      </p>
      <dl class="facts">
        <dt>SHA-256 fingerprint</dt>
        <dd>
          <code class="gateway-fingerprint">{ca.fingerprint}</code>{' '}
          <CopyButton text={ca.fingerprint} what="the fingerprint" />
        </dd>
        <dt>Public key (SPKI)</dt>
        <dd>
          <code class="gateway-fingerprint">{ca.spkiSha256}</code>{' '}
          <CopyButton text={ca.spkiSha256} what="the hash of the public key" />
        </dd>
        <dt>Ends</dt>
        <dd>
          <time dateTime={ca.expiresAt}>{new Date(ca.expiresAt).toLocaleString()}</time>
        </dd>
      </dl>
      <p>
        Compare the fingerprint with the one that <code>switchyard ca show</code> prints where the server runs.
      </p>
      <p class="warning">
        Those who have the key of this authority can imitate every site for clients that trust it. Trust it only in
        profiles, containers and processes of tests. Do not add it to your own browser or to the operating system.
      </p>
      <p>
        <a href="console/docs/gateway#https" target="_blank" rel="noreferrer">
          HTTPS in the documents
        </a>
      </p>
    </section>
  );
}
