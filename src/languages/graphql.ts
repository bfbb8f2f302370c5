/**
 * GraphQL documents as conditions and templates read them, within bounds. Nothing is executed, and no schema is known.
 *
 * The parser is the language module of `graphql`, which nothing else imports. It is loaded with the first document: that takes some
 * 50 ms of a thread, and few mocks need it.
 */
import type * as Language from 'graphql/language/index.js';
import { loadPackage } from '../base/program-files.ts';
import { GRAPHQL_CHARS_MAX, GRAPHQL_DEPTH_MAX, GRAPHQL_TOKENS_MAX } from '../limits.ts';

/** Its tokens with a space only between those that need one: without white space, comments and commas. */
interface Lexed {
  /** The text as it is where it has no tokens. */
  readonly normal: string;
  /** Why it is not a document, or exceeds a bound. */
  readonly problem?: string;
}

interface ParsedRequest extends Lexed {
  /** Absent with a `problem`. */
  readonly operation?: GraphqlOperation;
  /** The fields of the operation itself, also those in fragments, in their order. */
  readonly fields: readonly GraphqlField[];
}

type GraphqlOperation = Language.OperationDefinitionNode;
export type GraphqlField = Language.FieldNode;
export type GraphqlVariables = Readonly<Record<string, unknown>>;

let loaded: typeof Language | undefined;

function language(): typeof Language {
  loaded ??= loadPackage('graphql') as typeof Language;
  return loaded;
}

/** @returns A document, or a part of one, as it is compared. Never throws. */
export function normalGraphql(text: string): string {
  return lex(text).normal;
}

/** @param name `operationName` of the request: which operation is meant. Never throws. */
export function parseGraphql(text: string, name?: string): ParsedRequest {
  const { normal, problem } = lex(text);
  if (problem !== undefined) return { normal, problem, fields: [] };
  try {
    const document = language().parse(text, { noLocation: true, maxTokens: GRAPHQL_TOKENS_MAX });
    const operation = operationOf(document, name);
    if (typeof operation === 'string') return { normal, problem: operation, fields: [] };
    return { normal, operation, fields: topFieldsOf(document, operation) };
  } catch (error) {
    return { normal, problem: problemOf(error), fields: [] };
  }
}

/** Brackets are counted before the parser runs: nested without a bound they would exceed its stack. */
function lex(text: string): Lexed {
  if (text.length > GRAPHQL_CHARS_MAX) return tooLarge(text, `more than ${GRAPHQL_CHARS_MAX} characters`);
  const { Lexer, Source, TokenKind } = language();
  let [normal, depth, count, wasWord] = ['', 0, 0, false];
  try {
    const lexer = new Lexer(new Source(text));
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
      const { kind, value } = token;
      if (++count > GRAPHQL_TOKENS_MAX) return tooLarge(text, `more than ${GRAPHQL_TOKENS_MAX} tokens`);
      if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) depth++;
      else if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R) depth--;
      if (depth > GRAPHQL_DEPTH_MAX) return tooLarge(text, `brackets nested more than ${GRAPHQL_DEPTH_MAX} deep`);
      const isWord = value !== undefined;
      if (wasWord && (isWord || kind === TokenKind.SPREAD)) normal += ' ';
      const isText = kind === TokenKind.STRING || kind === TokenKind.BLOCK_STRING;
      normal += isText ? JSON.stringify(value) : (value ?? kind);
      wasWord = isWord;
    }
  } catch (error) {
    return { normal: text, problem: problemOf(error) };
  }
  // The short form of a query that has neither a name nor variables.
  return { normal: normal.startsWith('query{') ? normal.slice('query'.length) : normal };
}

function tooLarge(text: string, what: string): Lexed {
  return { normal: text, problem: `the document has ${what}` };
}

/** "Syntax Error: Expected Name, found "}" (line 1, column 3)" */
function problemOf(error: unknown): string {
  const { message, locations = [] } = error as Error & { locations?: readonly Language.SourceLocation[] };
  const [at] = locations;
  return at === undefined ? message : `${message.replace(/\.$/, '')} (line ${at.line}, column ${at.column})`;
}

/** @returns Why there is none. */
function operationOf({ definitions }: Language.DocumentNode, name: string | undefined): GraphqlOperation | string {
  const { Kind } = language();
  const operations = definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const [first, ...others] = operations;
  if (first === undefined) return 'the document has no operation';
  if (name !== undefined && name !== '')
    return operations.find((each) => each.name?.value === name) ?? `the document has no operation ${name}`;
  return others.length === 0 ? first : 'the document has several operations, and operationName does not say which';
}

function topFieldsOf({ definitions }: Language.DocumentNode, { selectionSet }: GraphqlOperation): GraphqlField[] {
  const { Kind } = language();
  const fields: GraphqlField[] = [];
  const followed = new Set<string>();
  const fragments = new Map(
    definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])),
  );
  const collect = (selections: readonly Language.SelectionNode[] = []): void => {
    for (const each of selections) {
      if (each.kind === Kind.FIELD) fields.push(each);
      else if (each.kind === Kind.INLINE_FRAGMENT) collect(each.selectionSet.selections);
      else if (!followed.has(each.name.value)) {
        followed.add(each.name.value);
        collect(fragments.get(each.name.value)?.selectionSet.selections);
      }
    }
  };
  collect(selectionSet.selections);
  return fields;
}

/** The variables of a request with the defaults of its operation. */
export function withDefaults(
  { variableDefinitions = [] }: GraphqlOperation,
  given: GraphqlVariables | undefined,
): GraphqlVariables | undefined {
  const defaults = variableDefinitions.flatMap(({ variable: { name }, defaultValue }) =>
    defaultValue === undefined ? [] : [[name.value, literalValue(defaultValue, {})] as const],
  );
  return defaults.length === 0 ? given : { ...Object.fromEntries(defaults), ...given };
}

/** The arguments of a field by name, with the values of variables. One whose variable is absent is absent. */
export function argumentsOf({ arguments: given = [] }: GraphqlField, variables: GraphqlVariables): GraphqlVariables {
  return membersOf(given, variables);
}

function membersOf(
  nodes: readonly (Language.ArgumentNode | Language.ObjectFieldNode)[],
  variables: GraphqlVariables,
): GraphqlVariables {
  const members = nodes.map(({ name, value }) => [name.value, literalValue(value, variables)] as const);
  // A member named __proto__ becomes one like any other.
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function literalValue(node: Language.ValueNode, variables: GraphqlVariables): unknown {
  const { Kind } = language();
  switch (node.kind) {
    case Kind.VARIABLE:
      return Object.hasOwn(variables, node.name.value) ? variables[node.name.value] : undefined;
    case Kind.INT: {
      const value = Number(node.value);
      return Number.isSafeInteger(value) ? value : node.value;
    }
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((each) => literalValue(each, variables) ?? null);
    case Kind.OBJECT:
      return membersOf(node.fields, variables);
    default:
      return node.value;
  }
}
