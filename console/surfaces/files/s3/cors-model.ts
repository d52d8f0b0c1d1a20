import { z } from 'zod';
import type { CorsConfiguration } from './gateway-rules.js';

/** CORS rules as the page edits them. */

const text = z.string().min(1).max(1024);

const corsRule = z.strictObject({
  id: z.string().max(255),
  origins: z.array(text).min(1).max(100),
  methods: z.array(z.enum(['GET', 'PUT', 'POST', 'DELETE', 'HEAD'])).min(1),
  headers: z.array(text).max(100),
  expose_headers: z.array(text).max(100),
  max_age_s: z.int().min(0).max(2_147_483_647).nullable(),
});

export const corsRules = z.array(corsRule).max(100);

export type CorsRuleView = z.infer<typeof corsRule>;

export function corsRulesOf({ rules }: CorsConfiguration): CorsRuleView[] {
  return rules.map((rule) => ({
    id: rule.id ?? '',
    origins: [...rule.allowedOrigins],
    methods: [...rule.allowedMethods],
    headers: [...rule.allowedHeaders],
    expose_headers: [...rule.exposeHeaders],
    max_age_s: rule.maxAgeSeconds ?? null,
  }));
}

export function corsConfigurationOf(rules: readonly CorsRuleView[]): CorsConfiguration {
  return {
    rules: rules.map((rule) => ({
      id: rule.id === '' ? undefined : rule.id,
      allowedOrigins: rule.origins,
      allowedMethods: rule.methods,
      allowedHeaders: rule.headers,
      exposeHeaders: rule.expose_headers,
      maxAgeSeconds: rule.max_age_s ?? undefined,
    })),
  };
}
