/** Advice for codes of several formats with the same remedy. */

export const FIX_HEADER = 'Change the header to one that HTTP allows, or set it with a template';
export const COOKIE_FOR_MOCK =
  'Nothing to do, unless a client needs the cookie on several hosts: then set it in the client';
export const SAVE_AS_UTF8 = 'If a client needs the other charset, store the body as base64 with its content type';
export const EDIT_PROXY_HEADERS =
  'Set `requestHeaders` and `responseHeaders` in the `proxy` of the response or of the settings';
export const NO_FORWARDING = 'Set the other server as `upstream` of a `proxy`, in the settings or a response';
export const ADD_CALLBACK =
  'Add the request to `callbacks` of the response, with an http or https URL, or send it from the test';
export const SHORTEN_DELAY =
  'Use a latency of at most 10 minutes, or the fault `hang` for a response that never arrives';
export const NO_SCRIPTS = 'Use conditions and templates (docs/templates.md), or fixed responses';
export const ADD_FILE = 'Import the folder that holds the file, or paste its content into the response';
export const OTHER_FAULT = 'Choose a supported fault, such as `reset`, `garbage` or `truncated`';
export const ROUTE_BY_HAND = 'Add the route by hand, with a supported path and method';
