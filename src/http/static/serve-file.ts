/** Answers with a file: in the smallest form that the client accepts, or 304 when it has that form. */
import { ifNoneMatchHolds } from '../../model/precondition.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Form, StaticFile } from './read-files.ts';

/**
 * @param path    Where it is served.
 * @param headers Further header lines, each with CRLF before it.
 */
export function serveFile(path: string, { forms, contentType }: StaticFile, headers: string): Endpoint {
  return {
    method: 'GET',
    path,
    access: 'public',
    handle(call) {
      const { encoding, etag, bytes } = accepted(forms, call.head.acceptEncoding);
      const lines = `\r\netag: ${etag}\r\nvary: accept-encoding${headers}`;
      if (!ifNoneMatchHolds(call.head.ifNoneMatch, etag)) return call.notModified(lines);
      const encoded = encoding === undefined ? '' : `\r\ncontent-encoding: ${encoding}`;
      return void call.later(bytes(), (read) => call.send(200, contentType, read, lines + encoded));
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
