/** Signing in by the one-time code of a link that `switchyard console` has printed. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from './parts/controls.tsx';
import { FailureBox, Loading } from './parts/states.tsx';
import type { Failure } from './state/failure.ts';
import { oneTimeCode } from './state/place.ts';
import { hasKey, takeKeyOfCode } from './state/session.ts';

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
            <strong>This link no longer works.</strong> Its code signs in once, within a minute after it was printed.
          </p>
          <p>
            Print another where the server runs: <code>switchyard console --owner local --user me</code>
          </p>
        </div>
      )}
      {failure !== undefined && failure.status !== 401 && (
        <FailureBox failure={failure} what="Signing in" onRetry={() => void exchange()} />
      )}
      {failure !== undefined && (
        <p>
          <Button onClick={leave}>{hasKey.value ? 'Go on with the key of this tab' : 'Sign in with a key'}</Button>
        </p>
      )}
    </main>
  );
}
