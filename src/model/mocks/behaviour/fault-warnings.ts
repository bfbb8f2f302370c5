/** Likely mistakes in faults and deliveries, and what only comes near to what they say: for warnings.ts. */
import { BODY_FAULTS } from './behaviour-checks.ts';
import type { Fault, MockResponse, MockRoute, MockSettings } from '../definition/definition.ts';

/** Each completes a sentence that begins with the name of what has the fault. */
function faultWarnings(fault: Fault): string[] {
  const { kind, probability } = fault;
  const warnings: string[] = [];
  if (kind === 'reset')
    warnings.push('has the fault reset, which closes the connection without a byte: this server sends no TCP reset');
  if (kind === 'garbage')
    warnings.push('has the fault garbage, which follows an interim reply, "HTTP/1.1 100 Continue"');
  if (probability === 0) warnings.push(`has a fault ${kind} with probability 0, which never strikes`);
  return warnings;
}

function alwaysStrikes({ probability = 1, first, after }: Fault): boolean {
  return probability === 1 && first === undefined && after === undefined;
}

/** @param routes Those that are enabled. */
export function settingsFaultWarnings({ faults = [] }: MockSettings, routes: readonly MockRoute[]): string[] {
  const always = faults.findIndex(alwaysStrikes);
  const isLast = always === faults.length - 1;
  const ofResponses = routes.some(({ responses }) => responses.some(({ fault }) => fault !== undefined));
  const hides = always !== -1 && (!isLast || ofResponses);
  return [
    ...new Set(faults.flatMap(faultWarnings)),
    ...(hides
      ? [`have a fault ${faults[always]?.kind} that always strikes: later faults, and those of responses, never do`]
      : []),
  ].map((warning) => warning.replace(/^has /, 'have '));
}

export function responseFaultWarnings(route: MockRoute, response: MockResponse): string[] {
  const { fault, delivery, body } = response;
  const warnings: string[] = [];
  if (fault !== undefined) {
    warnings.push(...faultWarnings(fault));
    const counts = fault.first === undefined ? 'after' : 'first';
    if ((fault.first ?? fault.after) !== undefined && route.responses.length > 1) {
      warnings.push(
        `has a fault with ${counts}, which counts all requests to the route, not only those of this response`,
      );
    }
    if (body === '' && response.stream === undefined && BODY_FAULTS.has(fault.kind)) {
      warnings.push(`has the fault ${fault.kind} and no body: the connection is closed without a byte`);
    }
  }
  if (delivery !== undefined && body === '') warnings.push('has a delivery and no body: it is sent at once');
  return warnings;
}
