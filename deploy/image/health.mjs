// The health check of a service's container: what its /readyz says.
const response = await fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/readyz`);
console.log(await response.text());
process.exit(response.ok ? 0 : 1);
