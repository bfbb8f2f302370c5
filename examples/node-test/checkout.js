/** The code under test: it knows the provider by an address, as it would in production. */
export async function checkout(providerUrl, { id, cents }) {
  const response = await fetch(`${providerUrl}/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ cents }),
  });
  return response.ok ? 'paid' : 'declined';
}
