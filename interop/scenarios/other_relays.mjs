export const scenarios = [];
