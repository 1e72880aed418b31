import { LONG, testCases } from "./run-reduced";

testCases("dynamic", LONG);
