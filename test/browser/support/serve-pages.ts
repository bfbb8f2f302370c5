/** A server of a few pages, for tests of what the tests of screens stand on. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src *; require-trusted-types-for 'script'";

/** @param bodies By path, what stands in the page's body, or a whole script; "/loose" has no policy. @returns Its origin, and what ends it. */
export async function servePages(
  bodies: Readonly<Record<string, string>>,
): Promise<{ readonly origin: string; readonly end: () => void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const body = bodies[pathname];
    const isScript = pathname.endsWith('.js');
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': `text/${isScript ? 'javascript' : 'html'}; charset=utf-8`,
      ...(pathname === '/loose' ? {} : { 'content-security-policy': POLICY }),
    });
    response.end(isScript ? body : pageOf(body ?? ''));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const end = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, end };
}

function pageOf(body: string): string {
  return (
    '<!doctype html><html lang="en"><head><title>A page</title><link rel="icon" href="data:,">' +
    '<meta name="viewport" content="width=device-width"></head>' +
    `<body>${body}</body></html>`
  );
}
