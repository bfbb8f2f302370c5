/** Recipes: files of mocks that come with the program. docs/recipes.md. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENTS_FOLDER } from '../base/program-files.ts';

export const RECIPE_NAMES = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'graphql-ws',
  'mcp-server',
  'oidc',
] as const;
export type RecipeName = (typeof RECIPE_NAMES)[number];

/** @returns Our own file of a mock. */
export function readRecipe(name: RecipeName): Promise<string> {
  return readFile(join(DOCUMENTS_FOLDER, 'recipes', `${name}.json`), 'utf8');
}
