/** A request as it is written in fields. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'ANY'];

/** Lines of `name: value`. Lines without a colon are left out. */
export function headerLines(text: string): { name: string; value: string }[] {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    return colon === -1 || name === '' ? [] : [{ name, value: line.slice(colon + 1).trim() }];
  });
}

/** A path that a route answers: `/users/1` for `/users/:id`. */
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
