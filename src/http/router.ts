/**
 * Finds the route of a path: a tree of segments, literal or parameter.
 *
 * Paths are compared as received. Nothing is decoded, so "%2e%2e" or "%2F" in an id can never make it another path.
 */

interface Routed {
  readonly method: string;
  readonly path: string;
}

interface Node<Route> {
  readonly literals: Map<string, Node<Route>>;
  parameter: Node<Route> | undefined;
  /** Takes whatever follows that no other node takes. */
  rest: Node<Route> | undefined;
  readonly methods: Map<string, Route>;
}

export interface PathMatch<Route> {
  /** The routes of the path by method. */
  readonly methods: ReadonlyMap<string, Route>;
  /** Values of the parameters, in order. Never empty. */
  readonly params: readonly string[];
}

export class Router<Route extends Routed> {
  readonly #root = newNode<Route>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      let node = this.#root;
      for (const segment of route.path.slice(1).split('/'))
        node = segment === '*' ? restOf(node) : segment.startsWith(':') ? parameterOf(node) : literalOf(node, segment);
      if (node.methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
      node.methods.set(route.method, route);
    }
  }

  /** @returns undefined for a path that has no route. A trailing slash makes another path, but below `*`: there it is a part of the rest. */
  find(path: string): PathMatch<Route> | undefined {
    let node = this.#root;
    let params: string[] | undefined;
    for (let start = 1; start <= path.length;) {
      if (node.rest !== undefined)
        return { methods: node.rest.methods, params: [...(params ?? []), path.slice(start)] };
      let end = path.indexOf('/', start);
      if (end === -1) end = path.length;
      const segment = path.slice(start, end);
      const literal = node.literals.get(segment);
      if (literal !== undefined) node = literal;
      else if (node.parameter !== undefined && segment !== '') {
        (params ??= []).push(segment);
        node = node.parameter;
      } else return undefined;
      start = end + 1;
    }
    if (node.methods.size === 0 || !path.startsWith('/')) return undefined;
    return { methods: node.methods, params: params ?? NO_PARAMS };
  }
}

const NO_PARAMS: readonly string[] = [];

function newNode<Route>(): Node<Route> {
  return { literals: new Map(), parameter: undefined, rest: undefined, methods: new Map() };
}

function restOf<Route>(node: Node<Route>): Node<Route> {
  return (node.rest ??= newNode());
}

function parameterOf<Route>(node: Node<Route>): Node<Route> {
  return (node.parameter ??= newNode());
}

function literalOf<Route>(node: Node<Route>, segment: string): Node<Route> {
  let next = node.literals.get(segment);
  if (next === undefined) {
    next = newNode();
    node.literals.set(segment, next);
  }
  return next;
}
