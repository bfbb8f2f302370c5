/** Requests as typed in fields. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** @returns The error in lines of `name: value`, or undefined. */
export function headerProblem(text: string): string | undefined {
  const wrong = text.split('\n').findIndex((line) => line.trim() !== '' && !/^[^:\s]+\s*:/.test(line.trim()));
  return wrong === -1 ? undefined : `Line ${wrong + 1}: expected “name: value”.`;
}

/** Parses lines of `name: value`, ignoring others. */
export function headerLines(text: string): { name: string; value: string }[] {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    return colon === -1 || name === '' ? [] : [{ name, value: line.slice(colon + 1).trim() }];
  });
}

/** An example of a matching path: `/users/1` for `/users/:id`. */
export function examplePath(path: string): string {
  return path
    .split('/')
    .flatMap((segment) => {
      if (segment === '*') return ['any'];
      if (segment.startsWith(':')) return segment.endsWith('?') ? [] : ['1'];
      return [segment];
    })
    .join('/');
}
