import { QUICK, testCases } from "./run-reduced";

testCases("dynamic", QUICK);
