/** Whether a session may send requests on that its mock does not, or callbacks. */
import { mayCallBack } from '../upstream/callbacks.ts';
import { mayProxy } from '../upstream/proxy.ts';
import type { SessionOverlay } from './session.ts';

export function mayOverlayProxy({ routes, responses, settings }: SessionOverlay): boolean {
  if (mayProxy({ settings, routes })) return true;
  return Object.values(responses).some((change) => {
    if (change.kind === 'pick') return false;
    return (change.kind === 'merge' ? change.merge : change.response).proxy !== undefined;
  });
}

/** The same of callbacks, too: whether it needs the process that sends both. */
export function mayOverlayReachOut(overlay: SessionOverlay): boolean {
  const { routes, responses } = overlay;
  if (mayOverlayProxy(overlay) || mayCallBack({ routes })) return true;
  return Object.values(responses).some((change) => {
    if (change.kind === 'pick') return false;
    return ((change.kind === 'merge' ? change.merge : change.response).callbacks ?? []).length > 0;
  });
}
