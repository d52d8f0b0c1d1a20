import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** What prom-client's `registry.getMetricsAsJSON()` gives: plain data that crosses processes. */
export type MetricSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];
