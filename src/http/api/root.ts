/** `GET /`: a browser is sent to the console or the documentation, everyone else is answered with what runs here and where to go on. */
import { Type } from '../../model/schema-type.ts';
import type { Endpoint } from '../endpoint.ts';
import { OPENAPI_PATH } from '../openapi.ts';
import { CONSOLE_PATH } from './console.ts';

const LINKS = { documentation: '/docs', openapi: OPENAPI_PATH, alive: '/healthz', ready: '/readyz' } as const;

const rootSchema = Type.Object({
  name: Type.Literal('Switchyard'),
  version: Type.String(),
  links: Type.Object(
    {
      ...Object.fromEntries(Object.keys(LINKS).map((name) => [name, Type.String()])),
      console: Type.Optional(Type.String({ description: 'Absent when the server has no console.' })),
    },
    { description: 'Paths on this server that need no key.' },
  ),
});

/** Caches must keep the two answers apart. */
const VARY = '\r\nvary: accept';

export function rootApi(version: string, hasConsole: boolean): Endpoint[] {
  const links = hasConsole ? { ...LINKS, console: CONSOLE_PATH } : LINKS;
  const members = `"data":${JSON.stringify({ name: 'Switchyard', version, links })}`;
  const page = hasConsole ? CONSOLE_PATH.slice(1) : 'docs';
  return [
    {
      method: 'GET',
      path: '/',
      access: 'public',
      doc: {
        operationId: 'root',
        tag: 'Operations',
        summary: 'Identify the server, with links; redirects a browser to /console, or to /docs without a console',
        answer: Type.Object({ data: rootSchema }),
        refusals: ['starting', 'draining', 'overloaded'],
      },
      handle: (call) => (call.head.acceptsHtml ? call.redirect(302, page, VARY) : call.succeed(members, VARY)),
    },
    { method: 'GET', path: '/docs/', access: 'public', handle: (call) => call.redirect(308, '../docs') },
  ];
}
