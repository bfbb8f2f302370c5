/**
 * Paths as a tree of their segments: where a path may end there is a place, for whatever the owner of the tree keeps of its routes.
 *
 * What is most specific is tried first: a literal, forms in the order of `compareForms`, a parameter, a wildcard, the rest.
 */
import type { LinearPattern } from '../linear-pattern.ts';
import type { PathSegment } from './route-path.ts';
import { compareForms, patternOf, type SegmentForm } from './segment-form.ts';

/** Edges that few nodes have: segments that mix text and parameters, and wildcards before other segments. */
export interface PatternEdges<P> {
  /** The most specific first. */
  readonly forms: { readonly form: SegmentForm; readonly pattern: LinearPattern; readonly node: PathNode<P> }[];
  wild: PathNode<P> | undefined;
}

export interface PathNode<P> {
  /** Most nodes have one literal below them: a comparison takes half the time of a map lookup, and no memory. */
  firstLiteral: string | undefined;
  firstNode: PathNode<P> | undefined;
  /** All literals, when there are several. */
  literals: Map<string, PathNode<P>> | undefined;
  parameter: PathNode<P> | undefined;
  patternEdges: PatternEdges<P> | undefined;
  /**
   * For paths that end here; paths whose optional parameter is absent here; paths that match any rest. In order of
   * precedence.
   */
  end: P | undefined;
  optionalEnd: P | undefined;
  rest: P | undefined;
  /** The smallest index of the paths at or below this node. */
  firstIndex: number;
}

/** Larger than any index, so that it loses every comparison. */
export const NO_INDEX = 0x7fff_ffff;

export function newPathNode<P>(): PathNode<P> {
  return {
    firstLiteral: undefined,
    firstNode: undefined,
    literals: undefined,
    parameter: undefined,
    patternEdges: undefined,
    end: undefined,
    optionalEnd: undefined,
    rest: undefined,
    firstIndex: NO_INDEX,
  };
}

/**
 * The places where a path may end, created if missing. Lowers `firstIndex` to `index` on the way.
 *
 * @param segments Whose optional parameters, if any, are at the end: one of `variantsOf`.
 */
export function placesOf<P>(
  root: PathNode<P>,
  segments: readonly PathSegment[],
  index: number,
  newPlace: () => P,
): P[] {
  const places: P[] = [];
  let node = root;
  node.firstIndex = Math.min(node.firstIndex, index);
  for (const segment of segments) {
    if (segment.kind === 'rest') return [(node.rest ??= newPlace())];
    switch (segment.kind) {
      case 'parameter':
        if (segment.optional) places.push((node.optionalEnd ??= newPlace()));
        node = node.parameter ??= newPathNode();
        break;
      case 'literal':
        node = addLiteral(node, segment.text);
        break;
      default:
        node = addPattern(node, segment);
    }
    node.firstIndex = Math.min(node.firstIndex, index);
  }
  places.push((node.end ??= newPlace()));
  return places;
}

/** @param text Decoded. */
export function literalBelow<P>(node: PathNode<P>, text: string): PathNode<P> | undefined {
  if (node.literals !== undefined) return node.literals.get(text);
  return text === node.firstLiteral ? node.firstNode : undefined;
}

/** Created if missing. */
function addPattern<P>(node: PathNode<P>, segment: PathSegment & { kind: 'form' | 'wild' }): PathNode<P> {
  const edges = (node.patternEdges ??= { forms: [], wild: undefined });
  if (segment.kind === 'wild') return (edges.wild ??= newPathNode());
  const { form } = segment;
  const known = edges.forms.find((each) => each.form.shape === form.shape);
  if (known !== undefined) return known.node;
  const edge = { form, pattern: patternOf(form), node: newPathNode<P>() };
  edges.forms.push(edge);
  edges.forms.sort((one, other) => compareForms(one.form, other.form));
  return edge.node;
}

/** Created if missing. */
function addLiteral<P>(node: PathNode<P>, text: string): PathNode<P> {
  if (node.firstNode === undefined || node.firstLiteral === undefined) {
    node.firstLiteral = text;
    node.firstNode = newPathNode();
    return node.firstNode;
  }
  if (text === node.firstLiteral) return node.firstNode;
  node.literals ??= new Map([[node.firstLiteral, node.firstNode]]);
  const known = node.literals.get(text);
  if (known !== undefined) return known;
  const next = newPathNode<P>();
  node.literals.set(text, next);
  return next;
}
