/**
 * The console and the documents, as the build wrote them: where each file is, and with which headers.
 *
 * Pages refer to their assets by relative addresses: behind a reverse proxy the service may live under a prefix.
 */
import { ifNoneMatchHolds } from '../../model/precondition.ts';
import type { Endpoint } from '../endpoint.ts';
import type { StaticFile, Form } from '../static/read-files.ts';

export const CONSOLE_PATH = '/console';

/** First segments of the console's addresses: `/console/mocks/m1` leads to `/console#/mocks/m1`. */
const AREAS = ['mocks', 'rules', 'gateway', 'history', 'keys'];

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
  const links = hasConsole(files) ? AREAS.flatMap((area) => [deepLink(area), deepLink(`${area}/*`)]) : [];
  const served = files.flatMap((file) => {
    const path = addressOf(file.path);
    const endpoint = serveFile(path, file, ASSET.test(file.path) ? ASSET_HEADERS : PAGE_HEADERS);
    return isIndex(file.path) ? [endpoint, withoutSlash(path)] : [endpoint];
  });
  return [...served, ...links];
}

/** The console keeps its address in the fragment, which survives signing in. The redirect is relative: a prefix stays. */
function deepLink(below: string): Endpoint {
  return {
    method: 'GET',
    path: `${CONSOLE_PATH}/${below}`,
    access: 'public',
    handle(call) {
      const { path, query } = call.head;
      const place = path.slice(CONSOLE_PATH.length);
      const up = '../'.repeat(place.split('/').length - 1);
      call.redirect(302, `${up}console#${place}${query === '' ? '' : `?${query}`}`);
    },
  };
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

/**
 * @param path    Where it is served.
 * @param headers Further header lines, each with CRLF before it.
 */
function serveFile(path: string, { forms, contentType }: StaticFile, headers: string): Endpoint {
  return {
    method: 'GET',
    path,
    access: 'public',
    handle(call) {
      const { encoding, etag, bytes } = accepted(forms, call.head.acceptEncoding);
      const lines = `\r\netag: ${etag}\r\nvary: accept-encoding${headers}`;
      if (!ifNoneMatchHolds(call.head.ifNoneMatch, etag)) return call.notModified(lines);
      const encoded = encoding === undefined ? '' : `\r\ncontent-encoding: ${encoding}`;
      return void call.later(bytes(), (read) => call.sendKept(contentType, read, lines + encoded));
    },
  };
}

function accepted(forms: readonly Form[], acceptEncoding = ''): Form {
  const form = forms.find(({ encoding }) => encoding === undefined || accepts(acceptEncoding, encoding));
  return form as Form;
}

/** RFC 9110, 12.5.3: a list of codings, `*` for all that it does not name; `;q=0` refuses. */
function accepts(acceptEncoding: string, encoding: string): boolean {
  const listed = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((item) => item.split(';').map((part) => part.trim()));
  const named = listed.find(([name]) => name === encoding) ?? listed.find(([name]) => name === '*');
  return named !== undefined && !/^q=0(?:\.0*)?$/.test(named[1] ?? '');
}
