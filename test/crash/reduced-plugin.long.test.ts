import { LONG, testCases } from "./run-reduced";

testCases("plugin", LONG);
