/** Whether a session may send requests on that its mock does not. */
import { mayProxy } from '../upstream/proxy.ts';
import type { SessionOverlay } from './session.ts';

export function mayOverlayProxy({ routes, responses, settings }: SessionOverlay): boolean {
  if (mayProxy({ settings, routes })) return true;
  return Object.values(responses).some((change) => {
    if (change.kind === 'pick') return false;
    return (change.kind === 'merge' ? change.merge : change.response).proxy !== undefined;
  });
}
