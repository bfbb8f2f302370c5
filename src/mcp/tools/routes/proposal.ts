/** A route that would answer a request that nothing answered. */
import { proposeRoute } from '../../../model/mocks/propose-route.ts';

const JSON_TYPE = { name: 'content-type', value: 'application/json' };

/** As routes_put takes it. @param path May have a query. */
export function proposalFor({ method, path }: { method: string; path: string }, response: object = {}): object {
  const proposed = proposeRoute({ method, path: path.split('?')[0] as string });
  return { ...proposed, responses: [{ status: 200, headers: [JSON_TYPE], body: '{}', ...response }] };
}
