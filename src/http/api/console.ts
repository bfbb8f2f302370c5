/**
 * The console and the documents, as the build wrote them: where each file is, and with which headers.
 *
 * Pages refer to their assets by relative addresses: behind a reverse proxy the service may live under a prefix.
 */
import type { Endpoint } from '../endpoint.ts';
import type { StaticFile } from '../static/read-files.ts';
import { serveFile } from '../static/serve-file.ts';

export const CONSOLE_PATH = '/console';

/** Its name contains a digest of its content. */
const ASSET = /(?:^|\/)assets\//;
const NO_SNIFFING = '\r\nx-content-type-options: nosniff';
const ASSET_HEADERS = `\r\ncache-control: public, max-age=31536000, immutable${NO_SNIFFING}`;
/** Only files of this service, no inline script or style, no markup made from text, no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');
const PAGE_HEADERS =
  `\r\ncache-control: no-cache\r\ncontent-security-policy: ${POLICY}${NO_SNIFFING}` +
  '\r\nreferrer-policy: no-referrer\r\ncross-origin-opener-policy: same-origin';

/** Whether there is a console among the files: the documents may be there without it. */
export function hasConsole(files: readonly StaticFile[]): boolean {
  return files.some(({ path }) => path === 'index.html');
}

export function consoleApi(files: readonly StaticFile[]): Endpoint[] {
  return files.flatMap((file) => {
    const path = addressOf(file.path);
    const served = serveFile(path, file, ASSET.test(file.path) ? ASSET_HEADERS : PAGE_HEADERS);
    return isIndex(file.path) ? [served, withoutSlash(path)] : [served];
  });
}

/** `index.html` is at its folder, other pages are at their name, all else at its path. */
function addressOf(path: string): string {
  return `${CONSOLE_PATH}/${path}`.replace(/\/index\.html$|\.html$/, '');
}

function isIndex(path: string): boolean {
  return /(?:^|\/)index\.html$/.test(path);
}

/** The addresses in a page resolve against its own, which has no slash at its end. */
function withoutSlash(path: string): Endpoint {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { method: 'GET', path: `${path}/`, access: 'public', handle: (call) => call.redirect(308, `../${name}`) };
}
