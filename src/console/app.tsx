/** The frame around every screen: navigation, the current screen, sign-in. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Overlays } from './overlays.tsx';
import { FailureBox, Loading } from './parts/states.tsx';
import { ToastList } from './parts/toast-list.tsx';
import { Rail } from './rail.tsx';
import { screenOf } from './screens.tsx';
import { SignIn, SignInByCode } from './sign-in.tsx';
import type { Failure } from './state/failure.ts';
import { oneTimeCode, place } from './state/place.ts';
import { hasKey, isKeyWaiting, me, resume } from './state/session.ts';

export function App(): JSX.Element {
  const [failure, setFailure] = useState<Failure>();
  const ask = (): void => void resume().then(setFailure);
  const code = oneTimeCode.value;
  useEffect(() => {
    if (code === undefined && me.value === undefined) ask();
  }, [code]);
  const isSignedIn = hasKey.value && me.value !== undefined;
  const hadForm = useRef(false);
  useEffect(() => {
    // The focused form is gone.
    if (isSignedIn && hadForm.current)
      (document.querySelector<HTMLElement>('#main h1') ?? document.getElementById('main'))?.focus();
    hadForm.current = !hasKey.value;
  }, [isSignedIn, hasKey.value]);
  if (code !== undefined) return <SignInByCode code={code} />;
  if (!hasKey.value) return <SignIn />;
  if (me.value === undefined) {
    return (
      <main class="alone">
        <h1>Switchyard</h1>
        <KeyWait />
        <FailureBox failure={failure} what="Signing in" onRetry={ask} />
        {failure === undefined && !isKeyWaiting.value && <Loading what="your account" />}
      </main>
    );
  }
  return (
    <div class="app">
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <Overlays />
      <Rail />
      <main id="main" tabIndex={-1}>
        <KeyWait />
        {screenOf(place.value)}
      </main>
      <ToastList />
    </div>
  );
}

function KeyWait(): JSX.Element | null {
  if (!isKeyWaiting.value) return null;
  return (
    <p class="bar" role="status">
      Waiting for the server to accept this key…
    </p>
  );
}

/** The fragment addresses a screen, so the link alone cannot do it. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
