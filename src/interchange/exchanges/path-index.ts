/** Which of the paths of a mock gets a request: segment by segment a literal before a parameter, as serving does (docs/mocks-matching.md). */
import { decodeOnce } from '../../base/percent.ts';
import { splitPath } from '../../languages/paths/route-path.ts';

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  path: string | undefined;
}

export class PathIndex {
  readonly #root = newNode();

  /** @param path Of a route of literals and parameters. */
  add(path: string): void {
    let node = this.#root;
    for (const segment of splitPath(path)) {
      if (segment.startsWith(':')) node = node.parameter ??= newNode();
      else {
        const text = decodeOnce(segment);
        let next = node.literals.get(text);
        if (next === undefined) node.literals.set(text, (next = newNode()));
        node = next;
      }
    }
    node.path ??= path;
  }

  /** @param texts Decoded segments. @returns The first path of its place, as it was added. */
  find(texts: readonly string[]): string | undefined {
    return search(this.#root, texts, 0);
  }
}

function newNode(): Node {
  return { literals: new Map(), parameter: undefined, path: undefined };
}

function search({ literals, parameter, path }: Node, texts: readonly string[], at: number): string | undefined {
  const text = texts[at];
  if (text === undefined) return path;
  const literal = literals.get(text);
  const found = literal && search(literal, texts, at + 1);
  if (found !== undefined || parameter === undefined || text === '') return found;
  return search(parameter, texts, at + 1);
}
