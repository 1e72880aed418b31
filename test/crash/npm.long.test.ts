import { testWholeMatrix } from "./kills";

testWholeMatrix("dynamic");
