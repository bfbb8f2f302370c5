/** The frame around every screen: who is signed in, where one can go, and the screen of the address. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Failure } from './state/failure.ts';
import { FailureBox, Loading } from './parts/states.tsx';
import { ToastList } from './parts/toast-list.tsx';
import { place } from './state/place.ts';
import { Rail } from './rail.tsx';
import { screenOf } from './screens.tsx';
import { hasKey, me, resume } from './state/session.ts';
import { SignIn } from './sign-in.tsx';

export function App(): JSX.Element {
  const [failure, setFailure] = useState<Failure>();
  const ask = (): void => void resume().then(setFailure);
  useEffect(ask, []);
  if (!hasKey.value) return <SignIn />;
  if (me.value === undefined) {
    return (
      <main class="alone">
        <h1>Switchyard</h1>
        {failure === undefined ? (
          <Loading what="your account" />
        ) : (
          <FailureBox failure={failure} what="Signing in" onRetry={ask} />
        )}
      </main>
    );
  }
  return (
    <div class="app">
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <Rail />
      <main id="main" tabIndex={-1}>
        {screenOf(place.value)}
      </main>
      <ToastList />
    </div>
  );
}

/** The fragment is the address of a screen, so the link cannot do it by itself. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
