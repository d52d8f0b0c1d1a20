/** Starts and stops the sampling of a listener under `npm run bench -- --profile`. */
export const PROFILE_SIGNAL = 'SIGUSR2';

/** Names the folder for profiles; set for the service by the benchmark alone. */
export const PROFILES_VARIABLE = 'RINGWAY_BENCH_PROFILES';
