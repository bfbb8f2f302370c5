/**
 * Finds the route of a path: a tree of segments, literal or parameter.
 *
 * Paths are compared as received. Nothing is decoded, so "%2e%2e" or "%2F" in an id can never make it another path.
 */
import type { Endpoint } from './endpoint.ts';

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly methods: Map<string, Endpoint>;
}

export interface Found {
  /** The routes of the path by method. */
  readonly methods: ReadonlyMap<string, Endpoint>;
  /** Values of the parameters, in order. Never empty. */
  readonly params: readonly string[];
}

export class Router {
  readonly #root = newNode();

  constructor(routes: readonly Endpoint[]) {
    for (const route of routes) {
      let node = this.#root;
      for (const segment of route.path.slice(1).split('/'))
        node = segment.startsWith(':') ? parameterOf(node) : literalOf(node, segment);
      if (node.methods.has(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
      node.methods.set(route.method, route);
    }
  }

  /** @returns undefined for a path that has no route. A trailing slash makes another path. */
  find(path: string): Found | undefined {
    let node = this.#root;
    let params: string[] | undefined;
    for (let start = 1; start <= path.length;) {
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

function newNode(): Node {
  return { literals: new Map(), parameter: undefined, methods: new Map() };
}

function parameterOf(node: Node): Node {
  return (node.parameter ??= newNode());
}

function literalOf(node: Node, segment: string): Node {
  let next = node.literals.get(segment);
  if (next === undefined) {
    next = newNode();
    node.literals.set(segment, next);
  }
  return next;
}
