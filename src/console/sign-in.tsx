/** The sign-in form. */
import { useEffect, useState } from 'preact/hooks';
import { Button, Form, TextField } from './parts/controls.tsx';
import { DocLink, FailureBox, Loading } from './parts/states.tsx';
import type { Failure } from './state/failure.ts';
import { oneTimeCode } from './state/place.ts';
import { hasKey, signedOutBy, signIn, takeKeyOfCode } from './state/session.ts';
import { visibleText } from './state/visible-text.ts';

/** Elsewhere the key would cross the network in plain text. */
const isSafe = location.protocol === 'https:' || /^(localhost|127\..*|\[::1\])$/.test(location.hostname);

export function SignIn(): JSX.Element {
  const [key, setKey] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const [isAsking, setAsking] = useState(false);
  const submit = async (): Promise<void> => {
    if (isAsking || key.trim() === '') return;
    setAsking(true);
    setFailure(await signIn(key.trim()));
    setAsking(false);
  };
  const isWrong = failure?.status === 401;
  return (
    <main class="alone">
      <h1>Switchyard</h1>
      {signedOutBy.value !== undefined && <SignedOut by={signedOutBy.value} />}
      <Form class="row" onSubmit={() => void submit()}>
        <TextField
          label="API key"
          type="password"
          value={key}
          onInput={setKey}
          takesFocus
          error={isWrong ? 'This key is not valid on this server.' : undefined}
        />
        <Button type="submit" kind="primary" busy={isAsking}>
          Sign in
        </Button>
        {!isSafe && <p class="warning">This page does not use HTTPS: others on the network can read the key.</p>}
      </Form>
      <p class="hint">
        The server printed it in its terminal at the first start.{' '}
        <DocLink to="operations#keys">Get another key</DocLink>
      </p>
      {!isWrong && <FailureBox failure={failure} what="Signing in" />}
    </main>
  );
}

function SignedOut({ by: { details } }: { readonly by: Failure }): JSX.Element {
  return (
    <div class="failure" role="alert">
      <p>
        <strong>You are signed out.</strong> The server no longer accepts this key: it was revoked, has expired, or
        belongs to another server.
      </p>
      {details.map(({ path, message }) => (
        <p class="muted" key={path}>
          Reason: <code>{visibleText(path)}</code> {visibleText(message)}
        </p>
      ))}
    </div>
  );
}

/** Signs in with the one-time code of a `switchyard console` link. */
export function SignInByCode({ code }: { readonly code: string }): JSX.Element {
  const [failure, setFailure] = useState<Failure>();
  const leave = (): void => void (oneTimeCode.value = undefined);
  const exchange = async (): Promise<void> => {
    setFailure(undefined);
    const problem = await takeKeyOfCode(code);
    if (problem === undefined) leave();
    else setFailure(problem);
  };
  useEffect(() => void exchange(), [code]);
  return (
    <main class="alone">
      <h1>Switchyard</h1>
      {failure === undefined && <Loading what="your account" />}
      {failure?.status === 401 && (
        <div class="failure" role="alert">
          <p>
            <strong>This link has expired.</strong> A sign-in link works once, within a minute (ten for the one of a
            start).
          </p>
          <p>
            Run <code>switchyard console</code> on the server for another link (in a clone{' '}
            <code>node dist/cli.js console</code>).
          </p>
        </div>
      )}
      {failure !== undefined && failure.status !== 401 && (
        <FailureBox failure={failure} what="Signing in" onRetry={() => void exchange()} />
      )}
      {failure !== undefined && (
        <p>
          <Button onClick={leave}>{hasKey.value ? 'Continue with the current key' : 'Sign in with a key'}</Button>
        </p>
      )}
    </main>
  );
}
