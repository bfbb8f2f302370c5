/** A tool that the tests of recipes declare: a property of each type. */
const declared = {
  name: 'weather',
  description: 'The weather at a place',
  parameters: {
    type: 'object',
    properties: {
      place: { type: 'string' },
      days: { type: 'integer', minimum: 3 },
      unit: { type: 'string', enum: ['C', 'F'] as ('C' | 'F')[] },
      detailed: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      more: { type: 'object' },
    },
  },
} as const;

/** @param place The text of the request. @returns What a recipe calls it with. */
const args = (place: string) => ({ place, days: 3, unit: 'C', detailed: true, tags: [], more: {} });

export const WEATHER = { declared, args };
